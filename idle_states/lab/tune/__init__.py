"""Residencies and snooze's time-out that cost least over the idle gaps a workload has.

gaps        idle gaps as a histogram, exact where it matters
source      gaps, and what a governor was given, read from a trace, a recording or a list
sampling    a part of the gaps, to search over where there are many
candidates  tables to try
evaluate    one candidate: the governor over all gaps, the histogram alone, or a simulated workload
waits       how long to poll before each state, and what that costs
results     what was evaluated already, kept in a file as it comes
spread      candidates over processors or a cluster
judging     what a table costs by the objective
search      from the present table to the best that was found, and all that is said of it
"""
