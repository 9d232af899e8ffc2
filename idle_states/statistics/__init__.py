"""Statistics of benchmark runs, in the forms that idle-state changes are argued with.

numbers            what is a sample and what is not
files              an input as lines, and the forms found among them
reading            files told by their content: samples, summary rows, schbench, mmtests
summary            N, Min, Max, Median, Avg, Stddev of samples
summary_rows       the same, read as ministat prints it
student            Student's t distribution, exact
comparison         two summaries: Student's t with the pooled standard deviation
ministat           what Debian's ministat computes, its table of t included
analysis           all sets against the first
outliers           does a conclusion survive without each set's one maximum?
histogram          ten bins from the minimum to the maximum
schbench           the buckets behind its percentiles
percentile_blocks  its output read, blocks compared
mmtests            tables of means with percent, read or made
"""
