package worlds

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// sameWorld compares two worlds by the contents of their files.
func sameWorld(t *testing.T, got, want *World) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(World{}, Prop{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnotherSeed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.toml")
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("below.toml", minimal+"seed = 5\n"+robot)
	write("w.toml", minimal+"include = [\"./below.toml\"]\nfield = \"./mine.toml\"\n")
	field := must.Get(Source("msl-22x14"))(t)
	write("mine.toml", string(field))
	w := must.Get(Load(path))(t)
	seven := must.Get(LoadWithSeed(path, 7))(t)
	if w.Seed != 5 || seven.Seed != 7 {
		t.Errorf("seeds %d and %d, want 5 and 7", w.Seed, seven.Seed)
	}
	for _, name := range []string{"w.toml", "below.toml", "mine.toml"} { // no file is read again
		must.Do(t, os.Remove(filepath.Join(dir, name)))
	}
	again := must.Get(w.WithSeed(7))(t)
	sameWorld(t, again, seven)
	if again.file.Own("seed") || !again.file.Bound("seed") {
		t.Error("the places of its keys are not known")
	}
	again.Robots[0].Sensors[0].Name = "another"
	if w.Robots[0].Sensors[0].Name == "another" {
		t.Error("two worlds share their robots")
	}
	back := must.Get(again.WithSeed(5))(t)
	sameWorld(t, back, w)
}

func TestAnotherSeedOfAWorldBuiltInGo(t *testing.T) {
	w := &World{Name: "w", Seed: 1}
	other, err := w.WithSeed(2)
	if err != nil || other.Seed != 2 || other.Name != "w" || w.Seed != 1 {
		t.Errorf("%+v, %v", other, err)
	}
}
