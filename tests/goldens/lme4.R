# Makes tests/goldens/lme4.json (lme4 1.1.31, R 4.2.2; Debian's r-cran-lme4). From the
# repository's root, with the boards that tests/kernels/decomposition/observed_boards.py draws:
#   python -c "from tests.kernels.decomposition.observed_boards import *; \
#     [write_trials(*b, f'/tmp/{n}.csv') for n, b in golden_boards().items()]"
#   Rscript tests/goldens/lme4.R /tmp > tests/goldens/lme4.json
suppressMessages(library(lme4))
folder <- commandArgs(trailingOnly = TRUE)[1]
# lmer stops at 1e-8 of the deviance by default: its components are then good to four digits only
tight <- list(xtol_abs = 1e-12, xtol_rel = 1e-12, ftol_abs = 1e-13, ftol_rel = 1e-15, maxeval = 1e5)
control <- lmerControl(optimizer = "nloptwrap", optCtrl = tight, calc.derivs = FALSE)
one <- function(name) {
  d <- read.csv(file.path(folder, paste0(name, ".csv")))
  facets <- setdiff(names(d), "y")
  terms <- paste0("(1 | ", facets, ")", collapse = " + ")
  form <- as.formula(paste("y ~ 1 +", terms))
  fit <- lmer(form, data = d, REML = TRUE, control = control)
  fit <- update(fit, start = getME(fit, "theta"))
  v <- sapply(VarCorr(fit), function(x) x[1, 1])[facets]
  models <- if ("M" %in% facets) ranef(fit)$M[, 1] else numeric(0)
  sprintf('"%s": {"log_likelihood": %.8f, "intercept": %.8f, "variance": {%s, "residual": %.10f},\n  "models": [%s]}',
          name, logLik(fit, REML = TRUE), fixef(fit)[[1]],
          paste0('"', facets, '": ', sprintf("%.10f", v), collapse = ", "), sigma(fit)^2,
          paste(sprintf("%.8f", models), collapse = ", "))
}
cat("{", paste(sapply(c("one", "boundary", "repeated", "pooled"), one), collapse = ",\n "), "}\n", sep = "")
