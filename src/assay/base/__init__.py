"""Small things that every package may use: files, seeds, clock, identity, executors, optional imports."""

from assay.base._clock import Clock, SystemClock
from assay.base._executor import Executor, SerialExecutor, ThreadExecutor, make_executor
from assay.base._files import (
    atomic_write,
    atomic_write_json,
    canonical_json,
    clear_leavings,
    json_hash,
    new_folder,
    sha256_file,
    unique_keys,
)
from assay.base._identity import (
    ID_PATTERN,
    Operator,
    OperatorKind,
    RandomBytes,
    check_id,
    is_agent_identifier,
    uuid7,
)
from assay.base._lazy import lazy_names
from assay.base._lock import folder_lock
from assay.base._optional import require
from assay.base._reasons import DAMAGED_STATE
from assay.base._seeds import generator
from assay.base._text import did_you_mean
from assay.base._toml import MAX_TOML, TomlFault, read_toml_file, toml_of
from assay.base._workers import Workers

__all__ = [
    "DAMAGED_STATE",
    "ID_PATTERN",
    "MAX_TOML",
    "Clock",
    "Executor",
    "Operator",
    "OperatorKind",
    "RandomBytes",
    "SerialExecutor",
    "SystemClock",
    "ThreadExecutor",
    "TomlFault",
    "Workers",
    "atomic_write",
    "atomic_write_json",
    "canonical_json",
    "check_id",
    "clear_leavings",
    "json_hash",
    "did_you_mean",
    "folder_lock",
    "generator",
    "is_agent_identifier",
    "lazy_names",
    "make_executor",
    "new_folder",
    "read_toml_file",
    "require",
    "sha256_file",
    "toml_of",
    "unique_keys",
    "uuid7",
]
