"""Speed against other solvers: one registry of problems, one of peers, one runner, one frame of results.

`python -m shiftbench.speed` runs it (`make bench`). A problem (`problems/`) says what is solved, by whom, how exactly,
and what we want to reach. A peer (`peers/`) prepares itself and then solves at a tolerance. The runner finds for each
solver the loosest tolerance that reaches the problem's gap and measures there, in turn with the others. Writers make
tables and a figure of the rows. Nothing here needs pandas: it runs in the peers' environment.
"""
