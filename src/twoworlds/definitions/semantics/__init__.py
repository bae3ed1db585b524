"""What a mechanism means to a Bayesian attacker, with a person's data and without.

After Kasiviswanathan & Smith, *On the "Semantics" of Differential Privacy: A Bayesian Formulation*.

Definitions: which beliefs, and from where outputs are drawn.

    privacy      for all beliefs, and for informed ones                   Definition 2.1, Sec. 2.1
    failure      the same with a failure probability, between two ends    Definition 2.3
    local        for one belief                                           Definition 4.1
    oblivious    outputs drawn from a fixed true database                 App., Definition 1.1

One belief: `games` are the posteriors with everyone's data and without one person's (equations 1
and 2), `posteriors` says them, `counts` finds them for many people who are alike, and `breaches`
are the outputs after which they lie too far apart.

All beliefs: the `swing` of an output's likelihood decides over all of them at once (`worst_swing`).
With a failure probability one belief must serve many outputs: `pair` for one bit, exactly;
`beliefs`, a search in a table; `cells`, which bound all beliefs there are by the `ways` to breach;
and `answers`, which bound them by the masses of few answers, of noise with a density in `slices`.
"""

__all__: list[str] = []
