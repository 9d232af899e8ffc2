"""Statistics of benchmark runs, in the forms used to argue for idle-state changes.

numbers            parses and checks sample values
files              an input as lines, and the forms found among them
reading            recognises files by content: samples, summary rows, schbench, mmtests
summary            N, Min, Max, Median, Avg, Stddev of samples
summary_rows       such rows as printed by ministat; which rows of a mail belong together
student            Student's t distribution, exact
poisson            bounds of a mean, given one count
comparison         compares two summaries: Student's t with the pooled standard deviation
ministat           what Debian's ministat computes, its table of t included
analysis           compares all sets with the first
outliers           tests whether a conclusion holds without each set's maximum
histogram          ten bins from the minimum to the maximum
printed_histograms  compares histograms printed below rows with these
wrapped_rows       joins rows that a mailer broke
buckets            buckets whose width grows with their values
schbench           the percentiles that schbench prints, and the buckets behind them
percentile_blocks  reads and compares schbench's output
mmtests            reads and makes tables of means with percent
"""
