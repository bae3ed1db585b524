"""Values that the tests of other accountants expect, as numbers with their source.

From dp_accounting 0.6.0 (pld/pld_privacy_accountant_test.py, pld/accountant_test.py,
rdp/rdp_privacy_accountant_test.py) and prv_accountant (tests/test_accountant.py). Left out: single
outputs, which the tests of each law compare with plain sums.
"""

# --- several outputs ------------------------------------------------------------------------------
# Parts with their numbers, epsilon, delta, and the tolerances of both. A delta of 10^-14 stands for
# 0 there, where ends are cut off.

SEVERAL = {
    "pld_privacy_accountant_test.py, test_gaussian_basic, sigma^2 = 3": (
        [("gaussian(sigma=1.7320508075688772)", 3)],
        *("1", "0.126936", "1e-3", "1e-3"),
    ),
    "pld_privacy_accountant_test.py, test_self_composed_subsampled_gaussian": (
        [("poisson-sample(gaussian(sigma=0.5), rate=0.2)", 3)],
        *("1", "0.15594", "1e-3", "1e-3"),
    ),
    "pld_privacy_accountant_test.py, test_laplace_basic": (
        [("laplace(scale=1)", 3), ("laplace(scale=2)", 2)],
        *("4", "1e-14", "1e-6", "1e-6"),
    ),
    "pld_privacy_accountant_test.py, test_poisson_subsampled_laplace": (
        [("poisson-sample(laplace(scale=0.5), rate=0.2)", 3)],
        *("2.46964", "1e-14", "1e-3", "1e-6"),
    ),
    "pld_privacy_accountant_test.py, test_discrete_laplace_basic": (
        [("geometric(epsilon=1)", 3), ("geometric(epsilon=0.5)", 2)],
        *("4", "0", "1e-6", "1e-6"),
    ),
    "rdp_privacy_accountant_test.py, test_laplace, repetition": (
        [("laplace(scale=1)", 100)],
        *("100", "0", "1e-7", "1e-7"),
    ),
}

# prv_accountant tests/test_accountant.py, test_gaussian_mechanism_analytic_homogeneous and
# _heterogeneous: sigmas, with how often each, and epsilon. A formula of mu, the root of the sum of
# squares of 1/sigma, gives delta there.
GAUSSIANS = [
    ({100: 10_000}, 4),
    ({100: 10_001}, 4),
    ({100: 10_002}, 4),
    ({10: 50, 5: 50}, 4),
]

# --- the least noise ------------------------------------------------------------------------------
# Noise with a parameter to fill in, how often, epsilon, delta, the parameter that is just enough,
# and what it may be off by; below 0 if more of it is less noise.

_DISCRETE_GAUSSIAN = "poisson-sample(discrete-gaussian(sigma={{}}, sensitivity={}), rate={})"
_GAUSSIAN_TEXT = "poisson-sample(gaussian(sigma={{}}, sensitivity={}), rate={})"

LEAST_NOISE = {
    "accountant_test.py, test_get_smallest_laplace_noise": [
        ("laplace(scale={}, sensitivity=21)", 10, 3, "0", 70, "0.1"),
        ("laplace(scale={})", 20, 1, "1e-4", "13.6", "0.1"),
        ("laplace(scale={}, sensitivity=0.5)", 20, 1, "1e-4", "6.8", "0.1"),
        ("laplace(scale={})", 500, 1, "1e-4", 71, "0.1"),
    ],
    # The parameter there is that of 1 step: times the sensitivity, it is epsilon.
    "accountant_test.py, test_get_smallest_discrete_laplace_noise": [
        ("geometric(epsilon={}, sensitivity=2)", 5, 3, "0", "0.6", "-0.002"),
        ("geometric(epsilon={})", 20, 1, "1e-4", "0.073", "-0.001"),
        ("geometric(epsilon={}, sensitivity=5)", 20, 1, "1e-4", "0.07", "-0.005"),
    ],
    "accountant_test.py, test_get_smallest_gaussian_noise": [
        ("gaussian(sigma={})", 1, 1, "0.78760074", "0.33333333", "1e-7"),
        ("gaussian(sigma={}, sensitivity=6)", 25, 1, "0.78760074", 10, "1e-6"),
    ],
    # Found there with an upper bound of delta, so that it may be a little too large
    "accountant_test.py, test_get_smallest_subsampled_gaussian_noise": [
        (_GAUSSIAN_TEXT.format(1, "0.01"), 1, 1, "1e-5", "0.67379294682", "1e-6"),
        (_GAUSSIAN_TEXT.format(6, "0.001"), 25, 1, "1e-5", "3.20956502598", "1e-2"),
    ],
    "privacy_loss_mechanism_test.py, test_laplace_from_privacy_parameters, to 3 places": [
        ("poisson-sample(laplace(scale={}), rate=0.8)", 1, 1, "0", "0.8720521537764049", "1e-3"),
        ("poisson-sample(laplace(scale={}), rate=0.5)", 1, 1, "0", "0.671194938966816", "1e-3"),
    ],
    "privacy_loss_mechanism_test.py, test_gaussian_from_privacy_parameters, to 3 places": [
        (_GAUSSIAN_TEXT.format(1, "0.1"), 1, 2, "2.355e-06", 1, "2e-3"),
        (_GAUSSIAN_TEXT.format(5, "0.75"), 1, 2, "0.00877201", 5, "2e-3"),
        (_GAUSSIAN_TEXT.format(1, "0.3"), 1, 16, "3.294e-05", "0.3", "2e-3"),
        (_GAUSSIAN_TEXT.format(2, "0.2"), 1, 16, "0.02302382", "0.4", "2e-3"),
    ],
    "privacy_loss_mechanism_test.py, test_discrete_gaussian_from_privacy_parameters, 3 places": [
        (_DISCRETE_GAUSSIAN.format(1, 1), 1, 1, "0.12693674", "1.041", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(2, 1), 1, 1, "0.12693674", "1.972", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(3, 1), 1, 1, "0.78760074", "0.993", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(6, 1), 1, 1, "0.78760074", "2.014", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(1, 1), 1, 2, "0.02092364", "1.038", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(5, 1), 1, 2, "0.02092364", "5.008", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(1, 1), 1, 16, "1e-5", "0.306", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(2, 1), 1, 16, "1e-5", "0.703", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(1, "0.8"), 1, 1, "0.07850075632001355", "1.041", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(3, "0.4"), 1, 1, "0.27122238416249084", "0.993", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(1, "0.3"), 1, 2, "0.0002834863230938751", "1.038", "2e-3"),
        (_DISCRETE_GAUSSIAN.format(2, "0.9"), 1, 16, "4.518347272315105e-06", "0.703", "2e-3"),
    ],
}

# --- Renyi divergences ----------------------------------------------------------------------------
# rdp_privacy_accountant_test.py, with the relative tolerance 1e-4.

# test_compute_rdp_poisson_sampled_gaussian; 50 outputs, sigma 2.5, sampling probability 0.01.
# Other orders there are fractions, which are not known here.
RENYI_OF_A_SAMPLE = {5: 2.18075656e-03, 50: 2.38460375e-02, 100: 1.67416308e02}

# test_compute_rdp_randomized_response_replace_special and _replace_one: noise parameter p and k
# buckets, of which the true one has mass 1 - p + p/k and all others p/k; special is uniform.
ORDERS = ["1.5", "2.5", "5", "50", "100"]
RENYI_OF_RESPONSES = [
    (
        "0.3",
        10,
        "special",
        [1.50305525, 1.78011824, 1.90919692, 1.98145167, 1.98469545, 1.98787434],
    ),
    (
        "0.05",
        20,
        "special",
        [2.89853122, 2.96154146, 2.98290894, 2.99468547, 2.99521415, 2.99573227],
    ),
    (
        "0.01",
        3,
        "special",
        [3.85134534, 4.33492490, 4.50380390, 4.59689538, 4.60107457, 4.60517018],
    ),
    ("0.3", 10, "one", [2.69463202, 2.98386536, 3.11316970, 3.18542448, 3.18866825, 3.19184715]),
    ("0.05", 20, "one", [5.85031770, 5.91036016, 5.93063308, 5.94180620, 5.94230780, 5.94279937]),
    ("0.01", 3, "one", [5.68412677, 5.69263459, 5.69542123, 5.69695697, 5.69702592, 5.69709348]),
]  # the last one is of order infinity
