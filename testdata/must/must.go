// Package must ends tests at errors that they do not expect.
package must

// TB is the part of testing.TB that this package needs. Property tests have another type with these methods.
type TB interface {
	Helper()
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
