# Makes tests/goldens/glmmtmb.json (glmmTMB 1.1.5, R 4.2.2; Debian's r-cran-glmmtmb). From the
# repository's root, with the boards that tests/kernels/decomposition/latent_boards.py draws:
#   python -c "from tests.kernels.decomposition.latent_boards import *; \
#     [write_csv(*b, f'/tmp/{n}.csv') for n, b in golden_boards().items()]"
#   Rscript tests/goldens/glmmtmb.R /tmp > tests/goldens/glmmtmb.json
suppressMessages(library(glmmTMB))
folder <- commandArgs(trailingOnly = TRUE)[1]
one <- function(name) {
  d <- read.csv(file.path(folder, paste0(name, ".csv")))
  facets <- setdiff(names(d), c("k", "n"))
  terms <- paste0("(1 | ", facets, ")", collapse = " + ")
  fit <- glmmTMB(as.formula(paste("cbind(k, n - k) ~ 1 +", terms)), data = d, family = binomial)
  sds <- sapply(VarCorr(fit)$cond, function(v) attr(v, "stddev")[[1]])[facets]
  sprintf('"%s": {"log_likelihood": %.8f, "intercept": %.8f, "sd": {%s}}', name, logLik(fit),
          fixef(fit)$cond, paste0('"', facets, '": ', sprintf("%.7f", sds), collapse = ", "))
}
cat("{", paste(sapply(c("one", "repeated", "pooled"), one), collapse = ",\n "), "}\n", sep = "")
