//go:build unix

package admission

import "syscall"

// least is the lowest limit: with fewer places, peers that connect at the same time would take each other's. A guess.
const least = 16

// Fit returns most, or the number of files that the process may open divided by share where that is less, but at least
// 16. Thus descriptors are left for files, pipes and other listeners.
func Fit(most, share int) int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return most
	}
	return max(least, int(min(uint64(most), uint64(l.Cur)/uint64(share))))
}
