"""Attacks on published tables: one model of cells, groups and beliefs for all of them.

    table           a table as it is read, from a file, a list or a data frame
    cells           what a published cell says: a set of possible values
    groups          the people whom a table does not tell apart, and what it gives away about them
    measures        k-anonymity, l-diversity, t-closeness, and claims of them
    anonymity       a table examined: how anonymous it is, whom it exposes
    hierarchies     how the values of a column are coarsened, step by step
    anonymisation   a table made anonymous, by the levels of hierarchies that lose least
    beliefs         what tables leave of a person's value together, and how likely each candidate is
    composition     several tables, and one person
    exposure        several tables, and everybody of a register
    linkage         who can be behind which rows: a register of names, and a table
    encoding        a k-anonymous table that spells out its input

`twoworlds.attacks` has their main names.
"""

__all__: list[str] = []
