package worlds

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Each of 15 files includes the ten below it. There are millions of paths to the lowest, and each file is read once.
func TestIncludesThatFanOutAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	const count, each = 15, 10
	for i := range count {
		var below []string
		for k := 1; k <= each && i+k < count; k++ {
			below = append(below, fmt.Sprintf("%q", fmt.Sprintf("./%d.toml", i+k)))
		}
		write(t, dir, fmt.Sprintf("%d.toml", i), fmt.Sprintf("name = \"w%d\"\ninclude = [%s]\n", i,
			strings.Join(below, ", "))+robot)
	}
	allocs.AtMost(t, allocs.ParseLimit, func() {
		w, err := Load(filepath.Join(dir, "0.toml"))
		if err != nil || w.Name != "w0" || len(w.Robots) != 1 {
			t.Errorf("%+v, %v", w, err)
		}
	})
}

// A file that two included files include counts once, below both, so it does not undo the changes of the first.
func TestWhatIsIncludedTwiceCountsOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "base.toml", minimal+"seed = 1\n"+robot)
	write(t, dir, "first.toml", "include = [\"base.toml\"]\nseed = 2\n")
	write(t, dir, "second.toml", "include = [\"base.toml\"]\nabout = \"x\"\n")
	write(t, dir, "w.toml", "include = [\"first.toml\", \"second.toml\", \"./first.toml\"]\n")
	w, err := Load(filepath.Join(dir, "w.toml"))
	if err != nil || w.Seed != 2 || w.About != "x" {
		t.Errorf("%+v, %v", w, err)
	}
}

// A world that names a thousand files, or long ones, is refused before all of them are read.
func TestAWorldIsMadeOfSoManyFiles(t *testing.T) {
	dir := t.TempDir()
	long := "#" + strings.Repeat(" ", schema.MaxBytes-100) + "\n"
	for name, c := range map[string]struct {
		text  string
		count int
		want  string
	}{
		"many": {"", maxFiles + 1, "is one too many: a world may have at most 256 files and 4 MiB"},
		"long": {long, 5, "is one too many"},
	} {
		var list []string
		for i := range c.count {
			list = append(list, fmt.Sprintf("%q", fmt.Sprintf("%s%d.toml", name, i)))
			write(t, dir, fmt.Sprintf("%s%d.toml", name, i), c.text)
		}
		write(t, dir, name, minimal+"include = ["+strings.Join(list, ", ")+"]\n"+robot)
		must.Refuse(Load(filepath.Join(dir, name)))(t, c.want, name)
	}
}

// A file that a world names is opened only if it is a regular file of an allowed length.
func TestAWorldOpensRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "fifo.toml"), 0o644))
	write(t, dir, "long.toml", "#"+strings.Repeat(" ", schema.MaxBytes))
	for text, want := range map[string]string{
		"include = [\"FILE\"]\n" + minimal +
			robot: `w.toml:1:1: include = ["FILE"]: "FILE": cannot be read: RULE`,
		minimal + "field = \"FILE\"\n" +
			robot: `w.toml:2:1: field = "FILE": cannot be read: RULE`,
		minimal + "[[robot]]\nname = \"r\"\nmodel = \"FILE\"\n":       `w.toml:4:1: robot[0]: model = "FILE": cannot be read: RULE`,
		minimal + robot + "[[prop]]\nname = \"p\"\nfile = \"FILE\"\n": `w.toml:7:1: prop[0]: file = "FILE": RULE`,
	} {
		for file, rule := range map[string]string{
			"fifo.toml": "is a FIFO: must be a regular file", "/dev/zero": "is a device: must be a regular file",
			"long.toml": "is too long: must be at most 1 MiB",
		} {
			if file == "long.toml" && strings.Contains(text, "prop") {
				continue // a model may be longer
			}
			fill := strings.NewReplacer("FILE", file, "RULE", rule)
			write(t, dir, "w.toml", fill.Replace(text))
			allocs.AtMost(t, 8<<20, func() {
				_, err := Load(filepath.Join(dir, "w.toml"))
				if err == nil || !strings.Contains(err.Error(), fill.Replace(want)) {
					t.Errorf("%v\nwant %s", err, fill.Replace(want))
				}
			})
		}
	}
	if _, err := Load("/dev/zero"); err == nil ||
		err.Error() != `world "/dev/zero": cannot be read: is a device: must be a regular file` {
		t.Error(err)
	}
}
