//go:build unix

package admission

import "syscall"

// least is the fewest places: of fewer, peers that connect at the same time would take each other's. A guess.
const least = 16

// Fit returns most, or one in share of the files that the process may open where that is less, though at least 16, so that
// files, pipes and other listeners find descriptors.
func Fit(most, share int) int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return most
	}
	return max(least, int(min(uint64(most), uint64(l.Cur)/uint64(share))))
}
