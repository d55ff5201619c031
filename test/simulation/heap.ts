/** A queue that gives the smallest entry first. */
export interface Heap<T> {
  push(entry: T): void;
  pop(): T | undefined;
  peek(): T | undefined;
  size(): number;
}

/** A binary heap; `before` says which of two entries comes first. */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const list: T[] = [];
  const swap = (a: number, b: number): void => {
    [list[a], list[b]] = [list[b]!, list[a]!];
  };
  return {
    push(entry) {
      list.push(entry);
      for (let at = list.length - 1; at > 0; ) {
        const above = (at - 1) >> 1;
        if (!before(list[at]!, list[above]!)) break;
        swap(at, above);
        at = above;
      }
    },
    pop() {
      const first = list[0];
      const last = list.pop();
      if (list.length > 0) {
        list[0] = last!;
        for (let at = 0; ; ) {
          const [left, right] = [2 * at + 1, 2 * at + 2];
          let least = at;
          if (left < list.length && before(list[left]!, list[least]!)) least = left;
          if (right < list.length && before(list[right]!, list[least]!)) least = right;
          if (least === at) break;
          swap(at, least);
          at = least;
        }
      }
      return first;
    },
    peek: () => list[0],
    size: () => list.length,
  };
}
