import LullCore
import Model

try measure { try JSONDocument(parsing: $0).root.decoded([Volcano].self) }
