"""The numbers that a commit's message gives, each held against what is known otherwise.

claim        a number, and what became of it
prose        a message as sentences
states       the states that a message names
changes      times that it sets, against the change (IS511)
figures      quoted figures, compared again (IS512); `printed`: what ministat prints of them
percentages  percentages in prose, against quoted figures (IS513)
kernels      what kernels are said to make of a time, against those of the day (IS514)
function     that nothing changes in function (IS516)
times        times of rows as they are, and tables of them (IS515)
"""
