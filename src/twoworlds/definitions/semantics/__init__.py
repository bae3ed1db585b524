"""What a mechanism means to a Bayesian attacker, with a person's data and without.

After Kasiviswanathan & Smith, *On the "Semantics" of Differential Privacy: A Bayesian Formulation*:

    games        the posteriors of Game 0 and of Game i for each person        Section 2
    privacy      semantic privacy, for all beliefs                             Definition 2.1
    local        for one belief; product: where records are independent        Definition 4.1
    swing*       the exact supremum over all beliefs, by structure
    failure      with a failure probability: an interval for all beliefs       Definition 2.3
                 (upper end: bounds, pair, half_lines; lower end: beliefs, ascent, table;
                 told by verdicts, witnesses, wording)
    oblivious    outputs drawn from a fixed true database                      App., Definition 1.1
                 (the outputs at which a belief is breached: view, breaches, window)
    informed     from prior to posterior when all other records are known      Section 2.1
"""

__all__: list[str] = []
