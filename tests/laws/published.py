"""Values that the tests of other accountants expect, as numbers with their source.

From dp_accounting 0.6.0 (pld/privacy_loss_mechanism_test.py, pld/privacy_loss_distribution_test.py,
pld/pld_privacy_accountant_test.py, pld/accountant_test.py, rdp/rdp_privacy_accountant_test.py) and
prv_accountant (tests/test_accountant.py). Noise is given as there: by its parameter (scale of
Laplace noise, sigma of Gaussian noise, rate of discrete Laplace noise) and the sensitivity, then
the sampling probability. REMOVE is a database with a record against the one without it, ADD the
other way round.

Left out, since no mechanism of ours says it: mixtures of Gaussian noise around three answers,
truncated batches, trees, and Poisson sampling where a record is replaced.
"""

ADD, REMOVE = "add", "remove"

# --- one output: delta for epsilon, to 7 places ---------------------------------------------------
# privacy_loss_mechanism_test.py, test_laplace_get_delta_for_epsilon, test_gaussian_..., and
# test_discrete_laplace_...; all three also _vectorized. A negative epsilon is asked there too.

_LAPLACE = [0.86466472, 0.63212056, 0.39346934, 0.0]
_LAPLACE_2 = [0.7134952031, 0.6321205588, 0.5276334473, 0.3934693403, 0.0]
_GAUSSIAN = [0.86749642, 0.67881797, 0.38292492, 0.12693674, 0.020923636]
_DISCRETE = [0.86466472, 0.77686984, 0.7222211, 0.63212056, 0.54202002, 0.39346934, 0.0]

DELTAS = [
    ("laplace", 3.0, 3.0, 1.0, ADD, {1.0: 0.0}),
    ("laplace", 1.0, 1.0, 1.0, ADD, dict(zip([-2.0, -1.0, 0.0, 1.0], _LAPLACE, strict=True))),
    ("laplace", 1.0, 1.0, 1.0, REMOVE, dict(zip([-2.0, -1.0, 0.0, 1.0], _LAPLACE, strict=True))),
    ("laplace", 2.0, 4.0, 1.0, ADD, dict(zip([-0.5, 0.0, 0.5, 1.0, 2.0], _LAPLACE_2, strict=True))),
    (
        "laplace",
        *(2.0, 4.0, 1.0, REMOVE),
        dict(zip([-0.5, 0.0, 0.5, 1.0, 2.0], _LAPLACE_2, strict=True)),
    ),
    ("laplace", 1.0, 1.0, 0.8, ADD, {1.0: 0.0}),
    ("laplace", 2.0, 4.0, 0.8, ADD, {0.5: 0.3243606497234246}),
    ("laplace", 1.0, 1.0, 0.6, ADD, {0.2: 0.1401134521354217}),
    ("laplace", 2.0, 2.0, 0.3, ADD, {0.0: 0.1180408020862099}),
    ("laplace", 5.0, 5.0, 0.2, ADD, {2.0: 0.0}),
    (
        "laplace",
        *(1.0, 1.0, 0.2, ADD),
        {-0.3: 0.2591817793, -0.2: 0.2008511573, -0.1: 0.1405456165, 0.0: 0.07869386806}
        | {0.1: 0.01879989609, 0.2: 0.0, 0.3: 0.0},
    ),
    ("laplace", 1.0, 1.0, 0.8, REMOVE, {1.0: 0.0}),
    ("laplace", 2.0, 4.0, 0.8, REMOVE, {0.5: 0.4039564635032081}),
    ("laplace", 1.0, 1.0, 0.6, REMOVE, {0.2: 0.1741992102060086}),
    ("laplace", 2.0, 2.0, 0.3, REMOVE, {0.0: 0.1180408020862099}),
    ("laplace", 5.0, 5.0, 0.2, REMOVE, {-0.25: 0.2211992169285951}),
    (
        "laplace",
        *(1.0, 1.0, 0.2, REMOVE),
        {-0.3: 0.2591817793, -0.2: 0.1812692469, -0.1: 0.1121734314, 0.0: 0.07869386806}
        | {0.1: 0.05015600993, 0.2: 0.02391739939, 0.3: 0.0},
    ),
    ("gaussian", 1.0, 1.0, 1.0, ADD, dict(zip(range(-2, 3), _GAUSSIAN, strict=True))),
    ("gaussian", 1.0, 1.0, 1.0, REMOVE, dict(zip(range(-2, 3), _GAUSSIAN, strict=True))),
    ("gaussian", 2.0, 6.0, 1.0, ADD, {1.0: 0.78760074}),
    ("gaussian", 5.0, 5.0, 1.0, REMOVE, {2.0: 0.02092364}),
    # REPLACE without sampling: twice the sensitivity
    (
        "gaussian",
        *(1.0, 2.0, 1.0, REMOVE),
        {-2.0: 0.90958223, -1.0: 0.81968818, 0.0: 0.68268949, 1.0: 0.50986166, 2.0: 0.331897999},
    ),
    ("gaussian", 1.0, 1.0, 0.8, ADD, {1.0: 0.0231362104090899}),
    ("gaussian", 1.0, 3.0, 0.7, ADD, {1.0: 0.1195051215523554}),
    ("gaussian", 2.0, 6.0, 0.4, ADD, {1.0: 0.0}),
    ("gaussian", 1.0, 1.0, 0.3, ADD, {2.0: 0.0}),
    (
        "gaussian",
        *(1.0, 1.0, 0.2, ADD),
        {-0.3: 0.27768558, -0.2: 0.21052945, -0.1: 0.14204776, 0.0: 0.076584985}
        | {0.1: 0.02337934, 0.2: 0.00020196, 0.3: 0.0},
    ),
    ("gaussian", 2.0, 2.0, 0.8, REMOVE, {1.0: 0.0816951786585355}),
    ("gaussian", 1.0, 3.0, 0.7, REMOVE, {1.0: 0.5356298793262404}),
    ("gaussian", 2.0, 6.0, 0.4, REMOVE, {1.0: 0.2888308005139968}),
    ("gaussian", 1.0, 1.0, 0.3, REMOVE, {2.0: 0.0003341102928869332}),
    ("gaussian", 5.0, 5.0, 0.2, REMOVE, {-0.25: 0.2211992169285951}),
    (
        "gaussian",
        *(1.0, 1.0, 0.2, REMOVE),
        {-0.3: 0.25918178, -0.2: 0.1814346, -0.1: 0.11631708, 0.0: 0.076584985}
        | {0.1: 0.051816131, 0.2: 0.035738492, 0.5: 0.012494629, 1.0: 0.00229682},
    ),
    ("geometric", 1.0, 1, 1.0, ADD, {1.0: 0.0}),
    # Here the largest loss is 0.999999
    ("geometric", 0.333333, 3, 1.0, REMOVE, {1.0: 0.0}),
    (
        "geometric",
        *(0.5, 4, 1.0, ADD),
        dict(zip([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0], _DISCRETE, strict=True)),
    ),
    (
        "geometric",
        *(0.5, 4, 1.0, REMOVE),
        dict(zip([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0], _DISCRETE, strict=True)),
    ),
    ("geometric", 0.333333, 3, 0.8, ADD, {1.0: 0.0}),
    ("geometric", 0.5, 4, 0.7, ADD, {0.5: 0.2293628348747755}),
    ("geometric", 0.5, 4, 0.6, ADD, {0.6: 0.07668344250639381}),
    ("geometric", 0.5, 4, 0.3, ADD, {0.5: 0.0}),
    (
        "geometric",
        *(0.5, 4, 0.2, ADD),
        {-0.3: 0.31709255, -0.2: 0.25960017, -0.1: 0.19633877, 0.0: 0.12642411}
        | {0.1: 0.058632421, 0.2: 0.0, 0.3: 0.0},
    ),
    ("geometric", 0.5, 4, 0.7, REMOVE, {0.5: 0.3523838505224567}),
    ("geometric", 0.5, 4, 0.6, REMOVE, {1.0: 0.178181891763215}),
    ("geometric", 0.5, 4, 0.3, REMOVE, {0.5: 0.1068168460276349}),
    ("geometric", 1.0, 1, 0.2, REMOVE, {-0.25: 0.2211992169285951}),
    (
        "geometric",
        *(0.5, 4, 0.2, REMOVE),
        {-0.3: 0.25918178, -0.2: 0.18126925, -0.1: 0.14821539, 0.0: 0.12642411}
        | {0.1: 0.11181698, 0.2: 0.095673604, 0.3: 0.07817137},
    ),
]

# --- privacy loss distributions -------------------------------------------------------------------
# privacy_loss_distribution_test.py: masses of the privacy loss on whole numbers, rounded to 7
# places or more. "buckets" rounds losses up, "dots" connects the dots: both dominate the mechanism.
# "optimistic" rounds down, and is dominated. What is missing from 1 has an infinite loss in the
# first two, and is dropped in the third.
#
# test_laplace_varying_parameter_and_sensitivity and the like: _connect_dots, _optimistic.

LOSSES = [
    (
        ("laplace", 1.0, 1.0, 1.0, REMOVE),
        {1: 0.69673467, 0: 0.11932561, -1: 0.18393972},
        {1: 0.62245933, 0: 0.14855068, -1: 0.22898999},
        {1: 0.5, 0: 0.19673467, -1: 0.30326533},
    ),
    (
        ("laplace", 1.0, 2.0, 1.0, REMOVE),
        {2: 0.69673467, 1: 0.11932561, 0: 0.07237464, -1: 0.04389744, -2: 0.06766764},
        {2: 0.62245933, 1: 0.14855068, 0: 0.09010054, -1: 0.05464874, -2: 0.08424071},
        {2: 0.5, 1: 0.19673467, 0: 0.11932561, -1: 0.07237464, -2: 0.11156508},
    ),
    (
        ("laplace", 1.0, 2.0, 0.7, ADD),
        {1: 0.81606028, 0: 0.08497712, -1: 0.09896260},
        {1: 0.70000000, 0: 0.17131139, -1: 0.08129580, -2: 0.04739281},
        {0: 0.81606028, -1: 0.08497712, -2: 0.09896260},
    ),
    (
        ("laplace", 1.0, 2.0, 0.7, REMOVE),
        {2: 0.49036933, 1: 0.13605478, 0: 0.37357589},
        {2: 0.35018810, 1: 0.22098490, 0: 0.17131139, -1: 0.25751561},
        {1: 0.49036933, 0: 0.13605478, -1: 0.37357589},
    ),
    (
        ("laplace", 2.0, 4.0, 0.3, ADD),
        {1: 0.81606028, 0: 0.11302356, -1: 0.07091617},
        {1: 0.30000000, 0: 0.59763391, -1: 0.09942388, -2: 0.00294221},
        {0: 0.81606028, -1: 0.11302356, -2: 0.07091617},
    ),
    (
        ("laplace", 2.0, 4.0, 0.3, REMOVE),
        {2: 0.20651251, 1: 0.16706338, 0: 0.62642411},
        {2: 0.02174013, 1: 0.27026212, 0: 0.59763391, -1: 0.11036383},
        {1: 0.20651251, 0: 0.16706338, -1: 0.62642411},
    ),
    (
        ("gaussian", 1.0, 1.0, 1.0, REMOVE),
        {2: 0.12447741, 1: 0.38292492, 0: 0.24173034, -1: 0.0668072},
        {2: 0.167710257, 1: 0.343270190, 0: 0.319116756, -1: 0.126282046, -2: 0.022697115},
        {1: 0.30853754, 0: 0.38292492, -1: 0.24173034, -2: 0.03809064},
    ),
    (
        ("gaussian", 1.0, 1.0, 0.8, ADD),
        {1: 0.50740234, 0: 0.25872977, -1: 0.04980776},
        {1: 0.448021700, 0: 0.398104072, -1: 0.115544309, -2: 0.015193708},
        {0: 0.69146246, -1: 0.25872977, -2: 0.0210912},
    ),
    (
        ("gaussian", 1.0, 1.0, 0.8, REMOVE),
        {2: 0.06409531, 1: 0.39779076, 0: 0.38512252},
        {2: 0.112267164, 1: 0.314081995, 0: 0.398104072, -1: 0.164817973},
        {1: 0.21708672, 0: 0.39779076, -1: 0.32533725},
    ),
    (
        ("gaussian", 1.0, 2.0, 0.4, ADD),
        {1: 0.65728462, 0: 0.12528727, -1: 0.02551767, -2: 0.00785031},
        {1: 0.431999550, 0: 0.499732772, -1: 0.052519150, -2: 0.012224135, -3: 0.003524394},
        {0: 0.84134475, -1: 0.12528727, -2: 0.02551767, -3: 0.0059845},
    ),
    (
        ("gaussian", 1.0, 2.0, 0.4, REMOVE),
        {3: 0.06547773, 2: 0.10625501, 1: 0.18525477, 0: 0.56826895},
        {3: 0.070789342, 2: 0.090324817, 1: 0.142761851, 0: 0.499732772, -1: 0.158923753},
        {2: 0.14022127, 1: 0.10625501, 0: 0.18525477, -1: 0.45708655},
    ),
    (
        ("gaussian", 3.0, 6.0, 0.2, REMOVE),
        {3: 0.00957871, 2: 0.05499325, 1: 0.19231652, 0: 0.70480685},
        {3: 0.024752755, 2: 0.041751932, 1: 0.105788001, 0: 0.738200118, -1: 0.079461876},
        {2: 0.04788338, 1: 0.05499325, 0: 0.19231652, -1: 0.55718558},
    ),
    (
        ("geometric", 1.0, 2, 1.0, REMOVE),
        {2: 0.73105858, 0: 0.17000340, -2: 0.09893802},
        {2: 0.731058579, 0: 0.170003402, -2: 0.098938020},
        {2: 0.73105858, 0: 0.17000340, -2: 0.09893802},
    ),
    (
        ("geometric", 0.8, 3, 1.0, REMOVE),
        {3: 0.68997448, 1: 0.17072207, 0: 0.07671037, -2: 0.06259307},
        {3: 0.359853436, 2: 0.330121045, 1: 0.148724321, 0: 0.043995505, -1: 0.054712620}
        | {-2: 0.044677025, -3: 0.017916048},
        {2: 0.68997448, 0: 0.17072207, -1: 0.07671037, -3: 0.06259307},
    ),
    (
        ("geometric", 1.0, 2, 0.5, ADD),
        {1: 0.7310585786300049, 0: 0.17000340156854787, -1: 0.09893801980144723},
        {1: 0.500000000, 0: 0.401061980, -1: 0.067667642, -2: 0.031270378},
        {0: 0.9010619801985528, -2: 0.09893801980144723},
    ),
    (
        ("geometric", 1.0, 2, 0.5, REMOVE),
        {2: 0.41499829921572606, 0: 0.5850017007842739},
        {2: 0.231058579, 1: 0.183939721, 0: 0.401061980, -1: 0.183939721},
        {1: 0.41499829921572606, 0: 0.17000340156854787, -1: 0.41499829921572606},
    ),
    (
        ("geometric", 0.8, 3, 0.2, REMOVE),
        {2: 0.1880693544253796, 1: 0.09551271272152079, 0: 0.7164179328530996},
        {2: 0.028354943, 1: 0.189459276, 0: 0.698218984, -1: 0.083966797},
        {1: 0.1880693544253796, 0: 0.09551271272152079, -1: 0.7164179328530996},
    ),
]

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

# --- discrete Gaussian noise that is cut off at a bound, as a table -------------------------------
# privacy_loss_mechanism_test.py, test_discrete_gaussian_get_delta_for_epsilon and _vectorized:
# sigma, sensitivity, bound, sampling probability, direction, delta for epsilon.

_WIDE, _NARROW = (-2.0, -1.0, 0.0, 1.0, 2.0), (-0.2, -0.1, 0.0, 0.1, 0.2)
_CUT_OFF = (
    (1, 1, 2, 1.0, ADD, _WIDE, (0.872038958, 0.687513794, 0.402619947, 0.150574425, 0.054488685)),
    (10, 3, 5, 1.0, ADD, _WIDE, (0.900348895, 0.729120212, 0.285480872, 0.263672394, 0.263672394)),
    (1, 1, 2, 0.8, ADD, _WIDE, (0.870564110, 0.669546464, 0.322095958, 0.024865564, 0.0)),
    (5, 3, 5, 0.4, ADD, _NARROW, (0.258926845, 0.189706273, 0.129522020, 0.085584980, 0.063350727)),
    (
        1,
        1,
        2,
        0.8,
        REMOVE,
        _WIDE,
        (0.864664717, 0.641268089, 0.322095958, 0.101734157, 0.043590948),
    ),
    (
        *(5, 3, 5, 0.4, REMOVE, _NARROW),
        (0.233136435, 0.172603074, 0.129522020, 0.104486937, 0.094851204),
    ),
)
CUT_OFF = [
    (*case, dict(zip(epsilons, deltas, strict=True))) for *case, epsilons, deltas in _CUT_OFF
]
