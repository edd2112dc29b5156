"""A selector of your own in plain Python: nine times in ten the pair with the best mean reward, else any."""

import random

import dacalns


class EpsilonGreedy:
    def start(self, destroy_names, repair_names, seed):
        self.random = random.Random(seed)
        self.pairs = [(i, j) for i in range(len(destroy_names)) for j in range(len(repair_names))]
        self.mean, self.uses = dict.fromkeys(self.pairs, 5.0), dict.fromkeys(self.pairs, 0)

    def select_destroy(self, state):
        best, other = max(self.pairs, key=self.mean.get), self.random.choice(self.pairs)
        self.pair = best if self.random.random() < 0.9 else other
        return self.pair[0]

    def select_repair(self, destroyed, destroy):
        return self.pair[1]

    def update(self, outcome):
        reward = {"best": 5, "better": 2, "accepted": 1, "nothing new": 0}[outcome.outcome]
        self.uses[self.pair] += 1
        self.mean[self.pair] += (reward - self.mean[self.pair]) / self.uses[self.pair]


if __name__ == "__main__":
    print(dacalns.solve("A-n80-k10", selector=EpsilonGreedy(), seed=1))
