package rays

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InParallel calls the function do with each index from 0 to n−1, on as many goroutines as there are processors. It
// returns when all calls have returned.
func InParallel(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
