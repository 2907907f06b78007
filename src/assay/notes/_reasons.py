from assay.errors import Reason

NO_NOTE_STORE = Reason(
    "no_note_store", "no store of notes is attached here", "ask the operator to attach a workspace"
)
UNKNOWN_SLUG = Reason(
    "unknown_slug", "no published note has this slug", "cite a note that writing.list_notes lists"
)
BAD_SLUG = Reason(
    "bad_slug",
    "this cannot be the slug of a note",
    "use 1 to 64 of a-z, 0-9, '_' and '-', beginning with a letter or digit",
)
BAD_NOTE = Reason("bad_note", "the note cannot be kept like this", "mend what the message names")
NOTE_EXISTS = Reason(
    "note_exists",
    "there is a note of this slug, and what was published stays as it is",
    "write a new note that supersedes it",
)
SUPERSEDED_ALREADY = Reason(
    "superseded_already", "another note has superseded this one", "supersede the last note of its chain"
)
NOTES_BUSY = Reason("notes_busy", "another process is writing notes", "try again in a moment")
