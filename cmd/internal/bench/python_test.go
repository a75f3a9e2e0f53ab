package bench

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

func TestRunPython(t *testing.T) {
	python := pypi.Python(t)
	rows := must.Get(runPython(t.Context(), python, "-c", `print('[{"name": "a", "value": 2.5, "unit": "us"}]')`))(t)
	if len(rows) != 1 || rows[0] != (Result{Name: "a", Value: 2.5, Unit: "us"}) {
		t.Errorf("got %+v, want a row a with 2.5 us", rows)
	}
	for program, want := range map[string]string{"print('x')": "invalid character", "import no_such": "no_such"} {
		if _, err := runPython(t.Context(), python, "-c", program); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", program, err, want)
		}
	}
}
