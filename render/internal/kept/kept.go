// Package kept keeps results of long computations in files, so that the next process of the same program reads them
// instead of computing them again. Without a folder (In) it keeps nothing. All errors of files are ignored: a result
// that cannot be read is computed.
//
//	var shadows []float32
//	kept.Get(kept.KeyOf("shadows", bytes), func() { shadows = compute() }, kept.Slice(&shadows))
//
// Any goroutine may use the package.
package kept

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// MostBytes is the largest size of all files together. The files that have not been used for the longest time are
// deleted first.
const MostBytes = 128 << 20

const (
	mostFiles = 2000
	suffix    = ".kept"
)

var folder atomic.Pointer[string]

// In sets the folder of the files. The first result that is kept creates the folder. An empty name ends keeping.
func In(dir string) { folder.Store(&dir) }

// program returns the build ID of this program, which changes with all code that a result may depend on. It returns
// nil if the program has none, and then nothing is kept.
var program = sync.OnceValue(func() []byte {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil {
		return nil
	}
	id, err := note.Data()
	if err != nil {
		return nil
	}
	return id
})

// Field is a slice that is a part of a result.
type Field struct {
	size func() int
	save func(to []byte) []byte
	load func(from []byte) bool
}

// Slice returns a slice as a part of a result. The elements must contain neither pointers nor padding.
func Slice[T any](s *[]T) Field {
	size := int(unsafe.Sizeof(*new(T)))
	return Field{
		save: func(to []byte) []byte { return append(to, Bytes(*s)...) },
		size: func() int { return size * len(*s) },
		load: func(from []byte) bool {
			if len(from)%size != 0 {
				return false
			}
			*s = make([]T, len(from)/size)
			copy(Bytes(*s), from)
			return true
		},
	}
}

// Bytes returns the memory of a slice whose elements contain neither pointers nor padding.
func Bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// Key is the hash of everything that a result depends on.
type Key [sha256.Size]byte

// KeyOf returns the key of a result of a kind that depends only on the program and on some bytes. It returns the zero
// Key if nothing is kept.
func KeyOf(kind string, of ...[]byte) (k Key) {
	if !isOn() {
		return Key{}
	}
	h := sha256.New()
	for _, part := range append([][]byte{program(), []byte(kind)}, of...) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	h.Sum(k[:0])
	return k
}

func isOn() bool {
	dir := folder.Load()
	return dir != nil && *dir != "" && program() != nil
}

// Get reads the parts of a result if an earlier process of the same program has kept them. Otherwise it calls compute,
// which must set all parts, and keeps them.
func Get(key Key, compute func(), parts ...Field) {
	if !Read(key, parts...) {
		compute()
		Keep(key, parts...)
	}
}

// Read sets the parts of a result if an earlier process of the same program has kept them, and reports whether it did.
// It deletes a damaged file.
func Read(key Key, parts ...Field) bool {
	if key == (Key{}) {
		return false
	}
	path := key.path()
	err := read(path, parts)
	if errors.Is(err, errDamaged) { // not if it is missing: another process may have written it meanwhile
		os.Remove(path)
	}
	return err == nil
}

// Keep keeps the parts of a result. If another process has kept the same result since Read, Keep sets the parts to that
// one's, so that both go on with the same values even if they measured them.
func Keep(key Key, parts ...Field) {
	if key != (Key{}) {
		write(key.path(), parts)
	}
}

func (k Key) path() string { return filepath.Join(*folder.Load(), hex.EncodeToString(k[:16])+suffix) }

var table = crc32.MakeTable(crc32.Castagnoli)

// A file holds the checksum of all that follows it, the number of bytes of each part, and the parts.

var errDamaged = errors.New("a file is damaged")

// read sets the parts from a file. It returns errDamaged if the file does not contain them.
func read(path string, parts []Field) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Size() > MostBytes:
		return errDamaged
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head := 4 + 8*len(parts)
	if len(data) < head || crc32.Checksum(data[4:], table) != binary.LittleEndian.Uint32(data) {
		return errDamaged
	}
	rest := data[head:]
	for i, p := range parts {
		n := binary.LittleEndian.Uint64(data[4+8*i:])
		if n > uint64(len(rest)) || !p.load(rest[:n]) {
			return errDamaged
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return errDamaged
	}
	now := time.Now()
	os.Chtimes(path, now, now)
	return nil
}

// write writes a file, and then deletes old files if there are too many. If the file exists, write sets the parts from
// it instead.
func write(path string, parts []Field) {
	data := make([]byte, 4)
	for _, p := range parts {
		data = binary.LittleEndian.AppendUint64(data, uint64(p.size()))
	}
	for _, p := range parts {
		data = p.save(data)
	}
	binary.LittleEndian.PutUint32(data, crc32.Checksum(data[4:], table))
	dir := filepath.Dir(path)
	if len(data) > MostBytes/4 || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*"+suffix)
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		read(path, parts)
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrPermission):
		// the file system has no hard links
		os.Rename(f.Name(), path)
	}
	os.Remove(f.Name())
	prune(dir)
}

// prune deletes the files that have not been used for the longest time until the rest is within the limits.
func prune(dir string) {
	entries, _ := os.ReadDir(dir)
	var files []os.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == suffix {
			files, total = append(files, info), total+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for i := 0; i < len(files) && (total > MostBytes || len(files)-i > mostFiles); i++ {
		os.Remove(filepath.Join(dir, files[i].Name()))
		total -= files[i].Size()
	}
}
