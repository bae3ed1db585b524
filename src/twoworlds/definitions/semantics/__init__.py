"""What a mechanism means to a Bayesian attacker, with a person's data and without.

After Kasiviswanathan & Smith, *On the "Semantics" of Differential Privacy: A Bayesian Formulation*:

    games        the posteriors of Game 0 and of Game i for each person        Section 2
    privacy      semantic privacy, for all beliefs                             Definition 2.1
    failure      with a failure probability: an interval for all beliefs       Definition 2.3
    local        for one belief                                                Definition 4.1
    oblivious    outputs drawn from a fixed true database                      App., Definition 1.1
    informed     from prior to posterior when all other records are known      Section 2.1

For many people who are alike counts stand for databases (`counts` of a sum, `product` of records on
their own), and `crowds` are their games.

They stand on three ideas: the swing of an output's likelihood, which decides over all beliefs at
once (`swing`, made of `cases`; `moves` for statistics); the breaches of one belief (`breaches`,
`product` for records on their own); and the belief that is worst for many outputs at once (`pair`
for one bit, exactly; `beliefs`, a search in a `table`; `cells`, which bound all beliefs there are).
`witnesses` shows what was found.
"""

__all__: list[str] = []
