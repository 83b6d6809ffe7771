"""Which of two numbers of a metric is the better one, as lm-evaluation-harness has it, and which metrics are shares."""

from __future__ import annotations

SHARES = ("acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match", "mc1", "mc2", "pct_stereotype", "pass@1")
"""Metrics that are a share of answers; every other one is printed without bounds."""
HIGHER = {
    "acc", "acc_all", "acc_bytes", "acc_mutual_info", "acc_norm", "accuracy", "bleu", "bleu_acc", "bleu_diff",
    "bleu_max", "bleurt_acc", "bleurt_diff", "bleurt_max", "chrf", "consistency_rate", "em", "eqbench", "exact_match",
    "f1", "inst_level_loose_acc", "inst_level_strict_acc", "math_verify", "mc1", "mc2", "mcc", "mrr",
    "non_greedy_accuracy", "pass@1", "prompt_level_loose_acc", "prompt_level_strict_acc", "rouge1", "rouge1_acc",
    "rouge1_diff", "rouge1_max", "rouge2", "rouge2_acc", "rouge2_diff", "rouge2_max", "rougeL", "rougeL_acc",
    "rougeL_diff", "rougeL_max",
}  # fmt: skip
LOWER = {
    "bits_per_byte", "brier_score", "byte_perplexity", "perplexity", "ppl", "wer", "word_perplexity",
}  # fmt: skip
"""Those that its task files of 0.4.8 all give one direction, and the old names of the same. `pct_stereotype`, which is
best at one half, and `ter`, of which the tasks and the metric itself say opposite things, have none."""


def find_direction(metric: str) -> bool | None:
    """True where lower is better, False where higher is, None where nobody says."""
    base = metric.partition(",")[0]
    return True if base in LOWER else False if base in HIGHER else None
