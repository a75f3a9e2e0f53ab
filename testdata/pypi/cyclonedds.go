package pypi

// CycloneDDS are the requirements of the Python package of CycloneDDS.
var CycloneDDS = []string{
	"cyclonedds==11.0.1 --hash=sha256:dce635041d42e954a5fec187dabf99d4b36c9daa54cc97d6d2238985e3ef6101",
	"typing_extensions==4.9.0 --hash=sha256:af72aea155e91adfc61c3ae9e0e342dbc0cba726d6cba4b6c72c1f34e47291cd",
}
