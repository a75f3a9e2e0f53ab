//go:build unix

package admission

import "syscall"

// least is the smallest result of Fit; a guess. With fewer places, peers that connect at the same time would replace
// each other.
const least = 16

// Fit returns the smaller of most and of the process's limit of file descriptors divided by share, but at least 16.
// This leaves descriptors for files, pipes and other listeners.
func Fit(most, share int) int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return most
	}
	return max(least, int(min(uint64(most), uint64(l.Cur)/uint64(share))))
}
