"""Probability laws, and the one comparison of two of them.

noise       laws on the whole numbers with exact tails: noise that is added to an answer
counts      binomial and Poisson counts
entry       laws of one number on listed values or an interval, read from text
lattice     the law of a sum of such numbers, by convolution in whole numbers
uniform     the law of a sum of numbers with a density: uniform, or in steps
event       sets of outputs, their names, and the witness: two worlds, an event, its probabilities
comparison  two laws compared: tight ratio, hockey-stick gap, profile, trade-off, worst event;
            of finite laws, and the worst of many comparisons
shifted     two shifted copies of a law on the whole numbers compared
line        two shifted copies of Laplace or Gaussian noise compared
composition several comparisons as one: exactly, or between two proven ends
grid        losses on a grid, from above and from below, in whole numbers
ratios      comparisons of finitely many ratios composed exactly
sampling    what samples and shuffling make of a comparison; laws that dominate others
renyi       Renyi divergences, and what they give in terms of epsilon and delta
least       the least rho and the least mu of two laws
"""

__all__: list[str] = []
