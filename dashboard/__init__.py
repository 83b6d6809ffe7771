"""Benchtrend: a dashboard for standing benchmarks of fine-tuned language models."""
