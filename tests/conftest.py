"""Settings shared by all tests: the hypothesis profiles.

``HYPOTHESIS_PROFILE`` selects one:

* ``default``: the same examples on every run, so that a failure is never a matter of luck;
* ``ci``: the same, and more of them;
* ``thorough``: new random examples on every run, many of them, to search for what the others miss.
"""

import os

from hypothesis import settings

settings.register_profile("default", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=200, print_blob=True)
settings.register_profile(
    "thorough", derandomize=False, deadline=None, max_examples=2000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
