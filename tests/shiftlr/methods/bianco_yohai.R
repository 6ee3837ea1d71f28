# R's robustbase on the objective of BiancoYohaiRegression: rows of (y, x ...) from a CSV file, the first of which tells
# const; prints initwml, convergence, the objective (a mean, with the constant of a perfect fit), and the coefficients.
given <- commandArgs(trailingOnly = TRUE)
data <- as.matrix(read.csv(given[1], header = FALSE))
for (initwml in c(TRUE, FALSE)) {
  fit <- suppressMessages(robustbase::BYlogreg(data[, -1, drop = FALSE], data[, 1], initwml = initwml, const = as.numeric(given[2])))
  cat(sprintf("%.17g", c(initwml, fit$convergence, fit$objective, fit$coefficients)), "\n")
}
