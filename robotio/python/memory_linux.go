package python

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mapMemory maps an empty file.
func mapMemory(fd int) (*memory, error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFREG || stat.Size != 0 {
		return nil, fmt.Errorf("--memory = %d: must be the number of an open and empty file", fd)
	}
	data, err := syscall.Mmap(fd, 0, maxMemory, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("mapping of shared memory: %w", err)
	}
	return &memory{fd: fd, data: data}, nil
}

func (m *memory) close() { syscall.Munmap(m.data) }

// readable reports whether a read would return at once, with data or because the other end is closed.
func readable(f *os.File) bool {
	at := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(at, 0)
	return err == nil && n > 0
}

// grow makes a file larger. Unlike Ftruncate, Fallocate fails if there is not enough memory; otherwise the first access
// to the memory would end the program.
func grow(fd, from, to int) error {
	for {
		if err := syscall.Fallocate(fd, 0, int64(from), int64(to-from)); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
