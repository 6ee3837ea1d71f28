"""Compiled kernels, and which of them serves which problem (`problem.py`).

Words that all files here use, for an example x_i with the label s_i (+1 or -1) and the weight w_i:

score       x_i.theta + b
margin      s_i (x_i.theta + b): how far an example lies on the side of its label
lam         the price of a unit of shift; at 1 or more there are no shifts
threshold   log((1 - lam) / lam): examples with a margin below it are shifted
slope       derivative of the loss with respect to the margin, times w_i; never positive
curvature   second derivative, times w_i; 0 for shifted examples
residual    derivative with respect to the score: s_i times the slope
doubts      the probability that each label is wrong, for soft labels
tilt        a linear term in theta and b that soft labels add to the objective
kappa       `alpha` of the L1 penalty inside its solver
ridge       the L2 penalty on each coordinate
reach       sum_i w_i |x_ij| of a column: the most that its part of the gradient can be
optimality  the largest violation of the optimality conditions, relative to the gradient's scale
"""
