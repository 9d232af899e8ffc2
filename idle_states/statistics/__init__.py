"""Statistics of benchmark runs, in the forms that idle-state changes are argued with.

numbers     what is a sample and what is not
reading     files of samples, of summary rows, of schbench and of mmtests, told by their content
summary     N, Min, Max, Median, Avg, Stddev of samples
student     Student's t distribution, exact
comparison  two summaries: Student's t with the pooled standard deviation
ministat    what Debian's ministat computes, its table of t included
analysis    all sets against the first
outliers    does a conclusion survive without each set's one maximum?
histogram   ten bins from the minimum to the maximum
schbench    percentile blocks and the buckets behind them
mmtests     tables of means with percent
"""
