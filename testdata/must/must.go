// Package must provides checks that many tests share. Each failure message contains the actual value and the wanted
// value.
package must

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TB is the part of testing.TB that most checks need. Property tests have another type with these methods.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Get returns a function that returns v, or ends the test if err is not nil.
//
//	file := must.Get(os.Open(name))(t)
func Get[T any](v T, err error) func(TB) T {
	return func(t TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Do ends the test if err is not nil.
func Do(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Fail reports a failure unless the text of err contains want. The arguments about, if any, are printed at the start of
// the failure message.
func Fail(t TB, err error, want string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		start := ""
		if len(about) > 0 {
			start = fmt.Sprintf("%.300s: ", fmt.Sprint(about...))
		}
		t.Errorf("%sgot error %v, want %q", start, err, want)
	}
}

// Refuse does what Fail does, for a call with two results.
//
//	must.Refuse(os.Open(name))(t, "no such file", name)
func Refuse[T any](_ T, err error) func(t TB, want string, about ...any) {
	return func(t TB, want string, about ...any) {
		t.Helper()
		Fail(t, err, want, about...)
	}
}

// Equal reports a failure unless got equals want. Two empty slices are equal, and NaN equals nothing. The format and
// its arguments say what is compared.
func Equal[T any](t TB, got, want T, format string, args ...any) {
	t.Helper()
	if v, w := reflect.ValueOf(got), reflect.ValueOf(want); v.Kind() == reflect.Slice && w.Kind() == reflect.Slice &&
		v.Len() == 0 && w.Len() == 0 || reflect.DeepEqual(got, want) {
		return
	}
	text := fmt.Sprintf("got %+v, want %+v", got, want)
	if b, ok := any(got).([]byte); ok {
		text = fmt.Sprintf("got %x, want %x", b, any(want))
	}
	if len(text) > 500 {
		private := cmp.Exporter(func(reflect.Type) bool { return true })
		text = fmt.Sprintf("(-want +got)\n%.3000s", cmp.Diff(want, got, private))
	}
	t.Errorf("%s: %s", fmt.Sprintf(format, args...), text)
}

// Near reports a failure unless got is within the given tolerance of want. It always fails if got is NaN.
func Near(t TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

// patience is the longest wall time that Until waits. It is long because test machines are shared. The value is a
// guess.
const patience = 60 * time.Second

// Until waits until ok returns true, and ends the test if that takes too long.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// List collects values from several goroutines. The zero List is empty.
type List[T any] struct {
	mu  sync.Mutex
	all []T
}

// Add appends a value.
func (l *List[T]) Add(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, v)
}

// All returns a copy of the values, in the order of Add.
func (l *List[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// Dir writes files into a temporary folder, and returns the path of the folder. The keys of the map are file names with
// slashes.
func Dir(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

// File writes a file into a temporary folder and returns its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	return Write(t, filepath.Join(t.TempDir(), name), text)
}

// Write writes a file and the folders that it needs, and returns its path.
func Write(t testing.TB, path, text string) string {
	t.Helper()
	Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Case is a test case from a file of cases.
type Case struct {
	Name, Text string
	Want       []string
}

// Cases reads a file of test cases. The line "=== NAME" begins a case, and its text follows. Each line "--- TEXT" after
// that gives a text that the test wants to find. Lines before the first case are put before the text of every case.
func Cases(t testing.TB, path string) (all []Case) {
	t.Helper()
	head := ""
	for line := range strings.Lines(string(Get(os.ReadFile(path))(t))) {
		if name, ok := strings.CutPrefix(line, "=== "); ok {
			all = append(all, Case{Name: strings.TrimSuffix(name, "\n"), Text: head})
		} else if len(all) == 0 {
			head += line
		} else if want, ok := strings.CutPrefix(line, "--- "); ok {
			c := &all[len(all)-1]
			c.Want = append(c.Want, strings.TrimSuffix(want, "\n"))
		} else {
			all[len(all)-1].Text += line
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no case", path)
	}
	return all
}
