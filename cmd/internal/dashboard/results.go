package dashboard

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// mostFailures is the largest number of failed runs listed for a world. 200 is a guess: people look at each recording.
const mostFailures = 200

// resultsJSON is the result of omnipitch test in one of the folders.
type resultsJSON struct {
	Folder string            `json:"folder"` // its base name
	Date   string            `json:"date"`   // RFC 3339
	Wall   float64           `json:"wall_s"`
	Worlds []worldResultJSON `json:"worlds"`
	Notes  []string          `json:"notes,omitempty"`
	Error  string            `json:"error,omitempty"` // why the results cannot be read
}

type worldResultJSON struct {
	World string `json:"world"` // the world's name on the command line
	Name  string `json:"name"`
	suite.Counts
	PassedSeeds string        `json:"passed_seeds,omitempty"` // such as 1..3, 7
	Failures    []failureJSON `json:"failures"`
	More        int           `json:"left_out"`
}

type failureJSON struct {
	Seed      uint64       `json:"seed"`
	Reasons   []reasonJSON `json:"reasons"`
	Recording string       `json:"recording,omitempty"` // its id
	Again     string       `json:"again,omitempty"`     // the command that repeats the run
}

type reasonJSON struct {
	Time        float64 `json:"time_s"`                // sim time since the world last began
	Expectation string  `json:"expectation,omitempty"` // missing if the run ended with an error
	Text        string  `json:"text"`
}

func (s *Server) results(*http.Request) (any, error) {
	all := []resultsJSON{}
	for _, f := range s.folders.all {
		if r := f.results(); r != nil {
			all = append(all, *r)
		}
	}
	return map[string]any{"results": all}, nil
}

// results reads the results of omnipitch test in a folder. It returns nil if there are none.
func (f *folder) results() *resultsJSON {
	file, err := f.root.Open(suite.ResultsFile)
	if err != nil {
		return nil
	}
	defer file.Close()
	j := &resultsJSON{Folder: filepath.Base(f.path), Worlds: []worldResultJSON{}}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	j.Date = info.ModTime().UTC().Format(time.RFC3339)
	read, err := suite.ReadResults(file)
	if err != nil {
		j.Error = suite.ResultsFile + ": " + err.Error()
		return j
	}
	j.Wall, j.Notes = read.Wall, read.Notes
	for i := range read.Worlds {
		j.Worlds = append(j.Worlds, f.world(&read.Worlds[i]))
	}
	return j
}

func (f *folder) world(w *suite.WorldResults) worldResultJSON {
	j := worldResultJSON{World: w.World, Name: w.Name, Counts: w.Counts, Failures: []failureJSON{}}
	var passed []uint64
	for i := range w.Results {
		r := &w.Results[i]
		switch {
		case r.Passed:
			passed = append(passed, r.Seed)
		case len(j.Failures) == mostFailures:
			j.More++
		default:
			j.Failures = append(j.Failures, f.failure(r))
		}
	}
	j.PassedSeeds = spans(passed)
	return j
}

func (f *folder) failure(r *suite.RunResult) failureJSON {
	j := failureJSON{Seed: r.Seed, Again: r.Again, Reasons: []reasonJSON{}}
	if name := filepath.Base(r.Recording); r.Recording != "" && isRecording(name) {
		if info, err := f.root.Stat(name); err == nil && info.Mode().IsRegular() {
			j.Recording = idOf(f, name)
		}
	}
	if r.Error != "" {
		first, _, _ := strings.Cut(r.Error, "\n")
		j.Reasons = append(j.Reasons, reasonJSON{Time: r.Sim, Text: fmt.Sprintf("the run ended at %.3f s: %s", r.Sim,
			first)})
	}
	for _, e := range r.Expectations {
		if e.Outcome == "passed" {
			continue
		}
		v := expectation.Verdict{Name: e.Name, Outcome: expectation.Outcome(e.Outcome), Expected: e.Expected,
			Was: e.Was, Place: e.Place,
			At: time.Duration(e.At * float64(time.Second))}
		j.Reasons = append(j.Reasons, reasonJSON{e.At, e.Name, v.String()})
	}
	return j
}

// spans returns ascending seeds as a text of ranges, such as 1..3, 7.
func spans(all []uint64) string {
	var words []string
	for i := 0; i < len(all); {
		k := i + 1
		for k < len(all) && all[k] == all[k-1]+1 {
			k++
		}
		word := strconv.FormatUint(all[i], 10)
		if k > i+1 {
			word += ".." + strconv.FormatUint(all[k-1], 10)
		}
		words = append(words, word)
		i = k
	}
	return strings.Join(words, ", ")
}
