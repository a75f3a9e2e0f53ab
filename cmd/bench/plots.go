package bench

import (
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/cmd/output"
	"github.com/omnipitch/omnipitch/cmd/plots"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

// merge puts the curves of plots of one name into one.
func merge(all, more []experiment.Plot) []experiment.Plot {
next:
	for _, p := range more {
		for i := range all {
			if all[i].Name == p.Name {
				all[i].Curves = append(all[i].Curves, p.Curves...)
				continue next
			}
		}
		all = append(all, p)
	}
	return all
}

// makePlotDir makes sure, before anything is measured, that plots can be written; nil is nowhere.
func makePlotDir(dir *string) error {
	switch {
	case dir == nil:
		return nil
	case *dir == "":
		return output.NoFolder("--plot")
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return exit.BadInputf("--plot: %w", err) // which names it
	}
	return nil
}

// writePlots writes every plot as DIR/NAME.png.
func writePlots(dir string, all []experiment.Plot) error {
	for i := range all {
		if err := plots.Write(filepath.Join(dir, all[i].Name+".png"), all[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}
