"""The contract suite, for methods of one's own: what every method of isthmus promises, as checks that can fail.

`check_method` runs them all. `checks_of` yields them one by one, for tests that run one check at a time:

    @pytest.mark.parametrize("check", checks_of(MyMethod()), ids=str)
    def test_my_method(check):
        check()
"""

from isthmus.checks.suite import CHECKS, Check, check_method, checks_of

__all__ = ["CHECKS", "Check", "check_method", "checks_of"]
