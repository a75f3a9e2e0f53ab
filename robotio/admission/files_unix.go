//go:build unix

package admission

import "syscall"

// Fit returns most, or one in share of the files that the process may open where that is less, so that files, pipes and
// other listeners find descriptors.
func Fit(most, share int) int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return most
	}
	return max(1, int(min(uint64(most), uint64(l.Cur)/uint64(share))))
}
