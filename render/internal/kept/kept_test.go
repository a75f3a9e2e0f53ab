package kept

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// result is what a test keeps.
type result struct {
	floats []float32
	pairs  [][2]int64
}

// get keeps a result that depends on n, and reports whether it was computed.
func get(n int64) (r result, computed bool) {
	Get(KeyOf("test", binary.LittleEndian.AppendUint64(nil, uint64(n))), func() {
		computed = true
		r = result{[]float32{float32(n), 0.5}, [][2]int64{{n, -n}}}
	}, Slice(&r.floats), Slice(&r.pairs))
	return r, computed
}

func wants(t *testing.T, n int64, wantComputed bool) {
	t.Helper()
	r, computed := get(n)
	if computed != wantComputed {
		t.Errorf("result %d: computed %v, want %v", n, computed, wantComputed)
	}
	if !slices.Equal(r.floats, []float32{float32(n), 0.5}) || !slices.Equal(r.pairs, [][2]int64{{n, -n}}) {
		t.Errorf("result %d: got %v", n, r)
	}
}

// keepIn keeps results in a new folder until the end of the test.
func keepIn(t *testing.T) (dir string) {
	if program() == nil {
		t.Fatal("this program has no build ID, so nothing would be kept")
	}
	dir = filepath.Join(t.TempDir(), "below")
	In(dir)
	t.Cleanup(func() { In("") })
	return dir
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestResultsAreComputedOnce(t *testing.T) {
	wants(t, 1, true)
	wants(t, 1, true) // without a folder nothing is kept
	dir := keepIn(t)
	wants(t, 1, true)
	wants(t, 1, false)
	wants(t, 2, true)
	wants(t, 1, false)
	if got := len(files(t, dir)); got != 2 {
		t.Errorf("%d files, want 2", got)
	}
}

func TestDamagedFilesAreReplaced(t *testing.T) {
	dir := keepIn(t)
	wants(t, 1, true)
	path := files(t, dir)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		for _, data := range [][]byte{whole[:n], append(slices.Clone(whole[:n]), whole[n]^1)} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			wants(t, 1, true)
			wants(t, 1, false)
		}
	}
}

func TestFoldersThatCannotBeWritten(t *testing.T) {
	keepIn(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	In(file)
	wants(t, 1, true)
	wants(t, 1, true)
}

func TestOldFilesAreDeleted(t *testing.T) {
	dir := keepIn(t)
	wants(t, 1, true)
	for i := range mostFiles {
		path := filepath.Join(dir, strconv.Itoa(i)+suffix)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Duration(mostFiles-i) * time.Second)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, 2, true)
	wants(t, 1, false)
	if got := len(files(t, dir)); got != mostFiles {
		t.Errorf("%d files, want %d", got, mostFiles)
	}
	for i, want := range []bool{false, false, true} {
		if _, err := os.Stat(filepath.Join(dir, strconv.Itoa(i)+suffix)); (err == nil) != want {
			t.Errorf("file %d of %d, oldest first: exists %v, want %v", i, mostFiles, err == nil, want)
		}
	}
}

// If two processes measure the same, both go on with the values that were kept first.
func TestValuesThatWereKeptFirstCount(t *testing.T) {
	keepIn(t)
	key := KeyOf("times")
	first, second := []float64{1, 2}, []float64{3, 4}
	if Read(key, Slice(&first)) || Read(key, Slice(&second)) {
		t.Fatal("read what nobody has kept")
	}
	Keep(key, Slice(&first))
	Keep(key, Slice(&second))
	var later []float64
	if !Read(key, Slice(&later)) {
		t.Error("nothing was kept")
	}
	for name, got := range map[string][]float64{"first": first, "second": second, "later": later} {
		if !slices.Equal(got, []float64{1, 2}) {
			t.Errorf("the %s process has %v, want [1 2]", name, got)
		}
	}
}

// Two processes that measure at the same time go on with the same values, whichever has kept its values first.
func TestValuesAreTheSameForAll(t *testing.T) {
	dir := keepIn(t)
	key := KeyOf("times")
	for round := range 500 {
		var values [2][]float64
		var processes sync.WaitGroup
		for i := range values {
			processes.Go(func() {
				if !Read(key, Slice(&values[i])) {
					values[i] = []float64{float64(i)}
					Keep(key, Slice(&values[i]))
				}
			})
		}
		processes.Wait()
		if len(values[0]) != 1 || !slices.Equal(values[0], values[1]) {
			t.Fatalf("round %d: one process has %v, the other %v", round, values[0], values[1])
		}
		must.Do(t, os.RemoveAll(dir))
	}
}
