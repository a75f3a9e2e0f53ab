package bench

import (
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

// merge adds the plots more to the plots all. Plots of the same name become one plot with the curves of both.
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

// plotFlag is the flag --plot.
type plotFlag struct {
	Plot *string `placeholder:"DIR" help:"Write plots here, each as PNG and as SVG; the directory is made if need be."`
}

// write writes plots if the flag is set.
func (f *plotFlag) write(all []experiment.Plot) error {
	if f.Plot == nil {
		return nil
	}
	return writePlots(*f.Plot, all)
}

// check creates the folder for the plots. It is called before anything is measured.
func (f *plotFlag) check() error {
	switch {
	case f.Plot == nil:
		return nil
	case *f.Plot == "":
		return output.NoFolder("--plot")
	}
	if err := os.MkdirAll(*f.Plot, 0o755); err != nil {
		return console.BadInputf("--plot: %w", err) // the error contains the folder's name
	}
	return nil
}

// writePlots writes every plot as DIR/NAME.png and DIR/NAME.svg.
func writePlots(dir string, all []experiment.Plot) error {
	for i := range all {
		for _, format := range page.Formats {
			if err := page.Write(filepath.Join(dir, all[i].Name+format), all[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}
