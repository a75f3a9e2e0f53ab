package python

import (
	"errors"
	"fmt"
	"syscall"
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

// grow makes a file larger. Unlike Ftruncate, Fallocate fails if there is not enough memory; otherwise the first access
// to the memory would end the program.
func grow(fd, from, to int) error {
	for {
		if err := syscall.Fallocate(fd, 0, int64(from), int64(to-from)); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
