"""Random numbers by counter, those of learned/records/counter_random.cpp: what is drawn depends on seed, stream, step and index alone."""
import numpy as np

TRAINING, VALIDATION, DATA_FILES, HELD_OUT = 2, 3, 7, 9  # streams
_MASK = 2 ** 64 - 1


class CounterRandom:
    def __init__(self, seed, stream, step=0, index=0):
        counter = (step << 64 | index << 128) - 1  # numpy counts before it draws
        self._bits = np.random.Philox(counter=counter % 2 ** 256, key=seed & _MASK | stream << 64)

    def bits(self):
        return int(self._bits.random_raw())

    def below(self, limit):
        unfair = -limit % 2 ** 64 % limit
        while (value := self.bits()) < unfair:
            pass
        return value % limit

    def chance(self, probability):
        return (self.bits() >> 11) * 2.0 ** -53 < probability

    def permutation(self, count):
        order = list(range(count))
        for i in range(count, 1, -1):
            j = self.below(i)
            order[i - 1], order[j] = order[j], order[i - 1]
        return order
