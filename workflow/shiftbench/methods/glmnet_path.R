# Fits the robust model with glmnet as the report's appendix C prints it; nothing is added to the snippets but `thresh`
# and `maxit`. Started once by glmnet_path.py; answers one request after the other until its standard input ends. A
# message, either way, is the number of its vectors and then the length and the doubles of each; an error is the number
# -1, the length of its text, and the text.

suppressPackageStartupMessages(library(glmnet))
options(warn = -1) # glmnet's jerr says the same, and is sent back

# The first snippet: theta is not penalised, glmnet chooses the lambdas itself.
fit_path <- function(train.data, train.labels, thresh, maxit) {
  N <- nrow(train.data)
  P <- ncol(train.data)
  robust.train.data = cbind(train.data, diag(N))
  penalties = append(rep(0, times=P), rep(1, times=N))
  robust.fit = glmnet(robust.train.data, as.factor(train.labels),
    family='binomial', penalty.factor=penalties, standardize=FALSE, thresh=thresh, maxit=maxit)
  solutions(robust.fit, P, 1)
}

# The second snippet: an L1 penalty on theta too, kappa and lambda are given.
fit_pair <- function(train.data, train.labels, thresh, maxit, kappa, lambda) {
  N <- nrow(train.data)
  relative.penalty = lambda / kappa
  robust.train.data.local = cbind(train.data, diag(N)/relative.penalty)
  robust.fit = glmnet(robust.train.data.local, as.factor(train.labels),
    lambda=kappa, family='binomial', standardize=FALSE, thresh=thresh, maxit=maxit)
  solutions(robust.fit, ncol(train.data), relative.penalty)
}

# What glmnet returned: where it did not converge (jerr < 0) that is the solutions before, or one of zeros.
solutions <- function(fit, P, relative.penalty) {
  beta <- as.matrix(fit$beta)
  theta <- seq_len(P)
  list(fit$jerr, fit$lambda, fit$a0, beta[theta, , drop=FALSE], beta[-theta, , drop=FALSE] / relative.penalty)
}

answer <- function(request) {
  size <- request[[1]]
  thresh <- size[3]
  maxit <- size[4]
  train.data <- matrix(request[[2]], size[1], size[2])
  train.labels <- request[[3]]
  kappas <- request[[4]]
  lambdas <- request[[5]]
  if (length(kappas) == 0) return(fit_path(train.data, train.labels, thresh, maxit))
  fits <- mapply(function(kappa, lambda) fit_pair(train.data, train.labels, thresh, maxit, kappa, lambda),
    kappas, lambdas, SIMPLIFY=FALSE)
  lapply(1:5, function(part) unlist(lapply(fits, function(fit) as.vector(fit[[part]]))))
}

input <- file("stdin", "rb")
output <- file("/dev/stdout", "wb", raw=TRUE)

read_message <- function() {
  count <- readBin(input, "integer", 1)
  if (length(count) == 0) return(NULL)
  lapply(seq_len(count), function(i) readBin(input, "double", readBin(input, "integer", 1)))
}

write_message <- function(vectors) {
  writeBin(length(vectors), output)
  for (vector in vectors) {
    writeBin(length(vector), output)
    writeBin(as.double(vector), output)
  }
  flush(output)
}

write_error <- function(error) {
  text <- charToRaw(enc2utf8(conditionMessage(error)))
  writeBin(c(-1L, length(text)), output)
  writeBin(text, output)
  flush(output)
}

while (!is.null(request <- read_message())) {
  found <- tryCatch(answer(request), error=identity)
  if (inherits(found, "error")) write_error(found) else write_message(found)
}
