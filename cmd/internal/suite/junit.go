package suite

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The types below are the elements of a JUnit report for Jenkins and GitLab (https://github.com/testmoapp/junitxml).
// Each world is a suite and each seed is a case, so that Jenkins and GitLab can compare the results of a seed between
// builds. The time of a case is sim time, which is the same on every machine.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     seconds      `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     seconds     `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    seconds       `xml:"time,attr"`
		Skipped *junitMessage `xml:"skipped"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	seconds float64
)

func (s seconds) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%.3f", float64(s)), nil }

// PrintJUnit writes the outcome as a JUnit report.
func (o *Outcome) PrintJUnit(out io.Writer) error {
	report := junitReport{Name: "omnipitch test"}
	for i := range o.Worlds {
		s := o.Worlds[i].junit()
		report.Suites = append(report.Suites, s)
		report.Tests += s.Tests
		report.Failures += s.Failures
		report.Errors += s.Errors
		report.Time += s.Time
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

func (w *WorldOutcome) junit() junitSuite {
	s := junitSuite{Name: w.Argument, Tests: len(w.Results)}
	for i := range w.Results {
		c := w.Results[i].junit(w.Argument)
		s.Cases = append(s.Cases, c)
		s.Time += c.Time
		switch {
		case c.Skipped != nil:
			s.Skipped++
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		}
	}
	return s
}

func (r *Result) junit(world string) junitCase {
	c := junitCase{Name: fmt.Sprintf("seed %d", r.Seed), Class: world, Time: seconds(r.Sim.Seconds())}
	if !r.Ended {
		c.Time, c.Skipped = 0, &junitMessage{Message: "the suite was interrupted"}
		return c
	}
	if !r.Failed() {
		return c
	}
	reasons := r.reasons()
	message := &junitMessage{Message: firstLine(reasons[0]), Type: "expectation",
		Text: printable(strings.Join(reasons, "\n") + "\nagain: " + r.Again + "\n")}
	if r.Err != nil {
		message.Type = "error"
		c.Error = message
	} else {
		c.Failure = message
	}
	files := r.Pictures
	if r.Recording != "" {
		files = append(slices.Clone(files), r.Recording)
	}
	for _, file := range files {
		// GitLab and the JUnit Attachments plugin of Jenkins find attached files by this syntax.
		c.Out += "[[ATTACHMENT|" + printable(file) + "]]\n"
	}
	return c
}

// IsJUnit reports whether a text begins as a JUnit report does.
func IsJUnit(text io.Reader) bool {
	dec := xml.NewDecoder(io.LimitReader(text, 1<<20))
	// Names of elements are ASCII, so no encoding needs to be converted.
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		switch token, err := dec.Token(); t := token.(type) {
		case xml.StartElement:
			return t.Name.Local == "testsuites" || t.Name.Local == "testsuite"
		case xml.CharData:
			if strings.TrimLeft(string(t), "\ufeff \t\r\n") != "" {
				return false
			}
		default:
			if err != nil {
				return false
			}
		}
	}
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return printable(line)
}

// printable replaces the characters that XML cannot contain. The output of programs may have such characters. The
// encoder would replace most of them by U+FFFD, too, but not U+FFFE.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 {
			return c
		}
		return '\ufffd'
	}, text)
}
