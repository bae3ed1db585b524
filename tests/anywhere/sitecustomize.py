"""The arithmetic of another machine: every process that has this folder on PYTHONPATH uses it.

Logarithms, exponentials and their like are not rounded alike everywhere: they differ in the last
bit between libraries, processors and vector units. Here each result that is not whole is moved to a
neighbouring float, up or down as its own bits fall. Sums, products, quotients and square roots are
rounded alike everywhere, and stay as they are. So does compiled code.
"""

import functools
import importlib.abc
import importlib.machinery
import math
import sys

FUNCTIONS = "exp exp2 expm1 log log10 log1p log2 sin cos tan sinh cosh tanh"
IN_MATH = f"{FUNCTIONS} acos asin atan erf erfc gamma lgamma"
IN_NUMPY = f"{FUNCTIONS} arccos arcsin arctan power"
DRAWS = "dirichlet exponential gamma gumbel laplace logistic lognormal normal standard_normal"


def moved(value):
    """Return a neighbour of a float, unless it is whole or no number."""
    if not isinstance(value, float) or not math.isfinite(value) or value == math.floor(value):
        return value
    return type(value)(math.nextafter(value, math.inf if hash(value) % 3 else -math.inf))


def moved_array(found, np):
    """Return a float moved, or an array whose floats are moved where they stand."""
    if isinstance(found, np.ndarray) and found.dtype == np.float64:
        towards = np.where(found.view(np.int64) % 3 == 0, -np.inf, np.inf)
        kept = ~np.isfinite(found) | (found == np.floor(found))
        found[...] = np.where(kept, found, np.nextafter(found, towards))
        return found
    return moved(found)


def in_math(function):
    """Return the function of one number, with its result moved."""
    return functools.wraps(function)(lambda *arguments: moved(function(*arguments)))


class InNumpy:
    """A function of arrays, with its result moved; for everything else it is the one it moves."""

    def __init__(self, function, np):
        self.function, self.np = function, np
        self.__name__, self.__module__ = function.__name__, np.__name__

    def __call__(self, *arguments, **options):
        return moved_array(self.function(*arguments, **options), self.np)

    def __getattr__(self, name):
        return getattr(self.function, name)


class Numpy(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads numpy, and then moves what it computes."""

    def find_spec(self, name, path, target=None):
        if name != "numpy":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        self.loader, spec.loader = spec.loader, self
        return spec

    def exec_module(self, np):
        np.__loader__ = np.__spec__.loader = self.loader
        self.loader.exec_module(np)
        for name in IN_NUMPY.split():
            setattr(np, name, InNumpy(getattr(np, name), np))
        drawn = {
            name: in_generator(getattr(np.random.Generator, name), np) for name in DRAWS.split()
        }
        generator = type("Generator", (np.random.Generator,), drawn)
        default = np.random.default_rng
        np.random.default_rng = lambda seed=None: generator(default(seed).bit_generator)


def in_generator(draw, np):
    """Return the method of a generator, with what it draws moved."""
    return lambda *arguments, **options: moved_array(draw(*arguments, **options), np)


for name in IN_MATH.split():
    setattr(math, name, in_math(getattr(math, name)))
sys.meta_path.insert(0, Numpy())
