package main

import (
	"os/exec"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// TestPython runs the tests of the Python package that need the whole program.
func TestPython(t *testing.T) {
	cmd := exec.Command(pypi.Python(t), "-W", "error", "-m", "unittest", "discover", "tests/with_program")
	cmd.Dir = "../../robotio/python"
	cmd.Env = environment("OMNIPITCH="+program(t), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
