import Foundation
import Model

let decoder = JSONDecoder()
try measure { try decoder.decode([Volcano].self, from: Data($0)) }
