"""The contract that ops and fields of one's own must keep, as a suite to run in one's own tests.

``check_op`` and ``check_field`` give a result for each clause; ``assert_op`` fails a test with all that is
broken.
"""

from assay.testing._field_contract import check_field, market
from assay.testing._op_contract import assert_op, check_op
from assay.testing._report import ClauseResult, Report

__all__ = ["ClauseResult", "Report", "assert_op", "check_field", "check_op", "market"]
