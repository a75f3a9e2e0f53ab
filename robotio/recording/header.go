package recording

// Header is the data that a recording has before its messages.
type Header struct {
	Library     string            // name and version of the writing program
	Metadata    map[string]string // metadata of the run: a metadata record with the name "omnipitch"
	Attachments []Attachment
}

// Attachment is a file inside a recording.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// Schema is the message type of a channel: its ROS name, and the text of its definition. The text includes all
// dependencies, as in msg.Definition.Text.
type Schema struct{ Name, Text string }

// Constants that are the same in all files of this package.
const (
	profile        = "ros1" // profile of the MCAP specification
	metadataName   = "omnipitch"
	schemaEncoding = "ros1msg" // encoding of each schema that has a text
)

// ROSEncoding is the message encoding of each channel.
const ROSEncoding = "ros1"

// MaxMessage is the maximum size of a message's data in bytes: four times the default limit of a ROS node.
const MaxMessage = 256 << 20
