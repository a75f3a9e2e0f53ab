package mujoco

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// layoutProgram prints the row of layouts for the headers that are installed.
const layoutProgram = `
#include <mujoco/mujoco.h>
#include <stdio.h>
#include "library.h"
#define X(type, field) printf(",%zu", offsetof(type, field));
int main(void) {
	printf("{%d", mjVERSION_HEADER);
	OMNI_MJ_FIELDS(X)
	printf(",%zu,%zu}", sizeof(mjContact), sizeof(mjVFS));
}`

// The offsets are those of MuJoCo's headers.
func TestLayout(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "layout.c")
	must.Do(t, os.WriteFile(file, []byte(layoutProgram), 0o600))
	program := filepath.Join(dir, "layout")
	if out, err := exec.Command("gcc", "-I.", "-o", program, file).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "mujoco/mujoco.h: No such file") || os.IsNotExist(err) {
			t.Skip("no headers of MuJoCo here: install libmujoco-dev")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	row := string(must.Get(exec.Command(program).Output())(t))
	source := regexp.MustCompile(`\s`).ReplaceAllString(string(must.Get(os.ReadFile("library.c"))(t)), "")
	if !strings.Contains(source, row) {
		t.Errorf("library.c lacks the layout %s", row)
	}
}

// Without a library, the error names the package to install; with a library of another version or another library, it
// says so.
func TestMissingLibrary(t *testing.T) {
	must.Fail(t, load([]string{"libmujoco.so.0.0.0"}), "physics.engine = mujoco: libmujoco.so.0.0.0: ",
		"install the package libmujoco2.2.2")
	must.Fail(t, load([]string{"libm.so.6"}), "libm.so.6 has no mj")
}
