from assay.metrics._scorer import Scorer, Score
