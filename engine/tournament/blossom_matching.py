"""Edmonds' blossom algorithm in Python integers: the fallback beside rustworkx, for weights of any width.

- Every step keeps the dual solution feasible and integral, so the matching found is of maximum weight for any weights.
- It takes O(n^3) steps of Python, seconds for two hundred players; the 128-bit solver is tried first.
- The vocabulary is that of the literature (Galil 1986): a vertex or a blossom is *outer* if it is joined to a free
  vertex by an alternating path of even length, *inner* if of odd length. Vertices count from 1; 0 is none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

UNSEEN, OUTER, INNER = -1, 0, 1
#: (vertex on this side, vertex on the other side, weight); weight 0: no edge
Edge = tuple[int, int, int]


def max_weight_matching(count: int, weights: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, of a matching of 0 … count - 1 with the largest total weight.

    :param weights: positive integers; a pair that is missing cannot be matched
    """
    return _Blossoms(count, weights).run()


class _Blossoms:
    def __init__(self, count: int, weights: Mapping[tuple[int, int], int]) -> None:
        self.n = self.top = count
        size = 2 * count + 1
        self.edge: list[list[Edge]] = [[(u, v, 0) for v in range(size)] for u in range(size)]
        for (i, j), weight in weights.items():
            self.edge[i + 1][j + 1] = (i + 1, j + 1, weight)
            self.edge[j + 1][i + 1] = (j + 1, i + 1, weight)
        self.label = [max(weights.values(), default=0)] * (count + 1) + [0] * count
        self.match = [0] * size
        self.slack = [0] * size
        #: the outermost blossom that contains a vertex or a blossom; 0: not in use
        self.outermost = [*range(count + 1), *[0] * count]
        self.parent = [0] * size
        self.members: list[list[int]] = [[] for _ in range(size)]
        #: by blossom and vertex: the member of the blossom that contains the vertex
        self.holder = [[u if u == v else 0 for v in range(count + 1)] for u in range(size)]
        self.kind = [UNSEEN] * size
        self.seen = [0] * size
        self.time = 0
        self.queue: deque[int] = deque()

    def run(self) -> list[tuple[int, int]]:
        while self._phase():
            pass
        return [(u - 1, self.match[u] - 1) for u in range(1, self.n + 1) if u < self.match[u]]

    def _reduced(self, edge: Edge) -> int:
        """Return twice the slack of an edge; 0 if it is tight."""
        u, v, _ = edge
        return self.label[u] + self.label[v] - 2 * self.edge[u][v][2]

    def _update_slack(self, u: int, x: int) -> None:
        if not self.slack[x] or self._reduced(self.edge[u][x]) < self._reduced(self.edge[self.slack[x]][x]):
            self.slack[x] = u

    def _set_slack(self, x: int) -> None:
        self.slack[x] = 0
        for u in range(1, self.n + 1):
            if self.edge[u][x][2] and self.outermost[u] != x and self.kind[self.outermost[u]] == OUTER:
                self._update_slack(u, x)

    def _push(self, x: int) -> None:
        if x <= self.n:
            self.queue.append(x)
        else:
            for member in self.members[x]:
                self._push(member)

    def _set_outermost(self, x: int, blossom: int) -> None:
        self.outermost[x] = blossom
        for member in self.members[x]:
            self._set_outermost(member, blossom)

    def _even_place(self, blossom: int, member: int) -> int:
        """Return the index of a member on the even path round the blossom, reversing the blossom if necessary."""
        members = self.members[blossom]
        place = members.index(member)
        if place % 2:
            members[1:] = reversed(members[1:])
            return len(members) - place
        return place

    def _set_match(self, u: int, v: int) -> None:
        edge = self.edge[u][v]
        self.match[u] = edge[1]
        if u <= self.n:
            return
        member = self.holder[u][edge[0]]
        place = self._even_place(u, member)
        for index in range(place):
            self._set_match(self.members[u][index], self.members[u][index ^ 1])
        self._set_match(member, v)
        self.members[u] = self.members[u][place:] + self.members[u][:place]

    def _augment(self, u: int, v: int) -> None:
        while True:
            following = self.outermost[self.match[u]]
            self._set_match(u, v)
            if not following:
                return
            above = self.outermost[self.parent[following]]
            self._set_match(following, above)
            u, v = above, following

    def _common_root(self, u: int, v: int) -> int:
        """Return where the two alternating paths meet; 0 if they lead to two free vertices."""
        self.time += 1
        while u or v:
            if u:
                if self.seen[u] == self.time:
                    return u
                self.seen[u] = self.time
                u = self.outermost[self.match[u]]
                u = self.outermost[self.parent[u]] if u else 0
            u, v = v, u
        return 0

    def _add_blossom(self, u: int, root: int, v: int) -> None:
        new = self.n + 1
        while new <= self.top and self.outermost[new]:
            new += 1
        self.top = max(self.top, new)
        self.label[new], self.kind[new], self.match[new] = 0, OUTER, self.match[root]
        members = [root, *reversed(self._way(u, root)), *self._way(v, root)]
        self.members[new] = members
        self._set_outermost(new, new)
        for x in range(1, self.top + 1):
            self.edge[new][x], self.edge[x][new] = (new, x, 0), (x, new, 0)
        self.holder[new] = [0] * (self.n + 1)
        for member in members:
            for x in range(1, self.top + 1):
                mine = self.edge[member][x]
                if mine[2] and (not self.edge[new][x][2] or self._reduced(mine) < self._reduced(self.edge[new][x])):
                    self.edge[new][x], self.edge[x][new] = mine, self.edge[x][member]
            for x in range(1, self.n + 1):
                if self.holder[member][x]:
                    self.holder[new][x] = member
        self._set_slack(new)

    def _way(self, x: int, root: int) -> list[int]:
        """Return the members from ``x`` up to the root of a new blossom; the inner ones become outer."""
        way = []
        while x != root:
            partner = self.outermost[self.match[x]]
            way += [x, partner]
            self._push(partner)
            x = self.outermost[self.parent[partner]]
        return way

    def _expand(self, blossom: int) -> None:
        members = self.members[blossom]
        for member in members:
            self._set_outermost(member, member)
        entry = self.holder[blossom][self.edge[blossom][self.parent[blossom]][0]]
        place = self._even_place(blossom, entry)
        members = self.members[blossom]
        for inner, outer in zip(members[:place:2], members[1:place:2], strict=False):
            self.parent[inner] = self.edge[outer][inner][0]
            self.kind[inner], self.kind[outer] = INNER, OUTER
            self.slack[inner] = 0
            self._set_slack(outer)
            self._push(outer)
        self.kind[entry], self.parent[entry] = INNER, self.parent[blossom]
        for member in members[place + 1 :]:
            self.kind[member] = UNSEEN
            self._set_slack(member)
        self.outermost[blossom] = 0
        self.members[blossom] = []

    def _found(self, edge: Edge) -> bool:
        """Apply a tight edge from an outer vertex; return True if the matching was augmented."""
        u, v = self.outermost[edge[0]], self.outermost[edge[1]]
        if self.kind[v] == UNSEEN:
            self.parent[v], self.kind[v] = edge[0], INNER
            following = self.outermost[self.match[v]]
            self.slack[v] = self.slack[following] = 0
            self.kind[following] = OUTER
            self._push(following)
        elif self.kind[v] == OUTER:
            root = self._common_root(u, v)
            if not root:
                self._augment(u, v)
                self._augment(v, u)
                return True
            self._add_blossom(u, root, v)
        return False

    def _phase(self) -> bool:
        """Augment the matching by one pair; return False if no augmentation gains weight."""
        everything = range(1, self.top + 1)
        for x in everything:
            self.kind[x], self.slack[x] = UNSEEN, 0
        self.queue.clear()
        for x in everything:
            if self.outermost[x] == x and not self.match[x]:
                self.parent[x], self.kind[x] = 0, OUTER
                self._push(x)
        if not self.queue:
            return False
        while True:
            if self._grow():
                return True
            if not self._shift_labels():
                return False
            if self._use_tight_edges():
                return True

    def _grow(self) -> bool:
        while self.queue:
            u = self.queue.popleft()
            if self.kind[self.outermost[u]] == INNER:
                continue
            for v in range(1, self.n + 1):
                edge = self.edge[u][v]
                if edge[2] and self.outermost[u] != self.outermost[v]:
                    if self._reduced(edge):
                        self._update_slack(u, self.outermost[v])
                    elif self._found(edge):
                        return True
        return False

    def _shift_labels(self) -> bool:
        """Apply the largest dual step that keeps the labels feasible; return False if the labels of the free vertices
        are used up."""
        steps = []
        for x in range(1, self.top + 1):
            if self.outermost[x] != x:
                continue
            if x > self.n and self.kind[x] == INNER:
                steps.append(self.label[x] // 2)
            if self.slack[x] and self.kind[x] != INNER:
                reduced = self._reduced(self.edge[self.slack[x]][x])
                steps.append(reduced if self.kind[x] == UNSEEN else reduced // 2)
        lowest = min(self.label[u] for u in range(1, self.n + 1) if self.kind[self.outermost[u]] == OUTER)
        step = min(steps, default=lowest)
        if lowest <= step:
            return False
        for u in range(1, self.n + 1):
            kind = self.kind[self.outermost[u]]
            self.label[u] += {OUTER: -step, INNER: step}.get(kind, 0)
        for b in range(self.n + 1, self.top + 1):
            if self.outermost[b] == b:
                self.label[b] += {OUTER: 2 * step, INNER: -2 * step}.get(self.kind[b], 0)
        return True

    def _use_tight_edges(self) -> bool:
        for x in range(1, self.top + 1):
            u = self.slack[x]
            if self.outermost[x] != x or not u or self.outermost[u] == x or self._reduced(self.edge[u][x]):
                continue
            if self._found(self.edge[u][x]):
                return True
        for b in range(self.n + 1, self.top + 1):
            if self.outermost[b] == b and self.kind[b] == INNER and not self.label[b]:
                self._expand(b)
        return False
