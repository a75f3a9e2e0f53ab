package main

import (
	"os"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestPicturesAreShown checks that every picture has its world, its file and its place in the text.
func TestPicturesAreShown(t *testing.T) {
	text, err := os.ReadFile("../../../docs/cameras.md")
	must.Do(t, err)
	for _, p := range pictures() {
		if _, err := p.world(); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		if _, err := os.Stat("../../../docs/pictures/" + p.name + ".jpg"); err != nil {
			t.Errorf("%v: run make pictures", err)
		}
		if !strings.Contains(string(text), "(pictures/"+p.name+".jpg)") {
			t.Errorf("%s is not shown in cameras.md", p.name)
		}
	}
}
