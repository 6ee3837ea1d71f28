"""Examples with noisy labels and, where known, the true ones: one module a source."""
